// Heat maps: a table for each type of box, with a row for each reading and a column for each box.  Each row has its own colour scale.
let heatCells = [];		// {cell, series}
const HEAT_ROWS = 60;

// Group readings by type of box, in the order of the run.
function heatGroups(run) {
  const groups = new Map();
  for (const m of measures)
    for (const s of m.series[run.number]) {
      if (s.index === null)
        continue;
      if (!groups.has(s.type))
        groups.set(s.type, { rows: new Map(), boxes: new Map() });
      const group = groups.get(s.type);
      group.boxes.set(s.place, s);
      if (!group.rows.has(m))
        group.rows.set(m, new Map());
      group.rows.get(m).set(s.place, s);
    }
  return groups;
}

function heatRow(measure, cells, places) {
  const row = element("tr", {}, element("th", { scope: "row", title: `${measure.text} (${measure.unit})` }, measure.name));
  for (const place of places) {
    const cell = element("td"), series = cells.get(place);
    if (series) {
      heatCells.push({ cell, series });
      cell.series = series;
    }
    row.append(cell);
  }
  return row;
}

function heatTable(type, group) {
  const order = [...group.boxes.values()].sort((a, b) => (a.socket ?? 0) - (b.socket ?? 0) || a.index - b.index);
  const places = order.map(s => s.place), rows = [...group.rows];
  const sockets = [...new Set(order.map(s => s.socket ?? 0))];
  const body = element("tbody", {}, ...rows.slice(0, HEAT_ROWS).map(([m, cells]) => heatRow(m, cells, places)));
  const rest = rows.length > HEAT_ROWS ? element("p", { class: "hint" },
    `${rows.length - HEAT_ROWS} more readings of this type are in the table below.`) : "";

  return element("div", { class: "heat-group" }, element("h3", {}, type), element("div", { class: "wide", tabindex: 0, role: "region", "aria-label": `heat map of ${type}` }, element("table", { class: "heat", style: `width: ${18 + 3 * order.length}rem` },
    element("colgroup", {}, element("col", { class: "names" }), ...order.map(() => element("col"))),
    element("thead", {},
      element("tr", {}, element("td", { class: "corner" }), ...sockets.map(n => element("th", { colspan: order.filter(s => (s.socket ?? 0) === n).length,
                                                                           scope: "colgroup" }, `socket ${n}`))),
      element("tr", {}, element("td", { class: "corner" }), ...order.map(s => element("th", { scope: "col" }, String(s.index))))), body)), rest);
}

function drawHeat() {
  const groups = heatGroups(runs[state.run]);

  heatCells = [];
  heatRun = state.run;
  $("heat-body").replaceChildren(...(groups.size ? [...groups].map(([type, group]) => heatTable(type, group)) :
    [prose("p", { class: "hint" }, "No reading of this run belongs to a single box. `stat -A` reads each box.")]));
}

let heatSeen = false, heatRun = null;

// Put the run's numbers into the cells, unless the heat map is out of sight.
function paintHeat() {
  if (!heatSeen)
    return;
  if (heatRun !== state.run)
    drawHeat();
  const i = intervalOf(runs[state.run]);
  for (const { cell, series } of heatCells) {
    const value = series.value(i), there = !Number.isNaN(value), share = there ? series.measure.share(value) : 0;
    cell.style.background = there ? colour(share) : "";
    cell.style.color = there ? ink(share) : "";
    cell.textContent = there ? brief(value) : "-";
  }
}

function startHeat() {
  const box = $("heat-body");
  tipOn(box, target => {
    const s = target.series, i = intervalOf(runs[state.run]);
    return s ? `${s.measure.name} of ${s.place}\n${shown(s.value(i))} ${s.unit}\n${s.trust(i)}` : null;
  });
  box.addEventListener("click", e => {
    if (e.target.series)
      change({ measure: e.target.series.measure, box: e.target.series.place });
  });
  new IntersectionObserver(seen => {
    heatSeen = seen[seen.length - 1].isIntersecting;
    paintHeat();
  }, { rootMargin: "100px" }).observe($("heat"));
  addEventListener("beforeprint", () => {
    heatSeen = true;
    paintHeat();
  });
  drawHeat();	// now, so that everything below it is in its place
  listen(["run", "interval"], paintHeat);
}
