// A table of all readings of the chosen interval, to search and sort, with what the catalogue says about each.
const ROWS_MOST = 400;
let tableRows = [], shownRows = [], drawnInterval = null, order = { key: null, down: false };

const COLUMNS = [
  { key: "name", title: "reading", text: r => r.series.measure.name },
  { key: "place", title: "box", text: r => r.series.place },
  { key: "value", title: "value", number: r => r.a },
  { key: "other", title: "value, B", number: r => r.b, when: () => runs.length > 1 },
  { key: "change", title: "B - A", number: r => r.b - r.a, when: () => runs.length > 1 },
  { key: "percent", title: "%", number: r => 100 * (r.b - r.a) / Math.abs(r.a), when: () => runs.length > 1,
    show: v => Number.isFinite(v) ? `${v > 0 ? "+" : ""}${fixed(v, 1)}%` : "-" },
  { key: "truth", title: "truth", number: r => r.series.of("truth", r.i), when: () => runs.some(run => run.series.some(s => s.row.truth)) },
  { key: "spread", title: "spread of runs", number: r => r.series.of("spread", r.i), when: () => runs.some(run => run.series.some(s => s.row.spread)) },
  { key: "unit", title: "unit", text: r => r.series.unit },
  { key: "validity", title: "validity", text: r => r.trust },
  { key: "text", title: "what it is", text: r => r.series.measure.text },
];

function shownColumns() {
  return COLUMNS.filter(c => !c.when || c.when());
}

// One row for each series of the first run, then for each that only the second run has.
function tableSeries() {
  return [...runs[0].series, ...(runs[1]?.series ?? []).filter(s => !counterpart(s))];
}

function rowOf(series) {
  const b = runs.length > 1 ? (series.run.number ? series : counterpart(series)) : null, a = series.run.number ? null : series;
  const i = intervalOf(series.run);
  return { series, i, a: a ? a.value(i) : NaN, b: b ? b.value(intervalOf(b.run)) : NaN,
           trust: series.trust(i) + (b && b !== series && b.trust(intervalOf(b.run)) !== series.trust(i) ? `; B: ${b.trust(intervalOf(b.run))}` : "") };
}

function matches(row, words) {
  const text = [row.series.measure.name, row.series.place, row.series.unit, row.trust, row.series.measure.text].join(" ").toLowerCase();
  return words.every(word => text.includes(word));
}

function compare(x, y, column) {
  if (column.number) {
    const a = column.number(x), b = column.number(y);
    return Number.isNaN(a) ? Number.isNaN(b) ? 0 : 1 : Number.isNaN(b) ? -1 : a - b;
  }
  return column.text(x).localeCompare(column.text(y), "en", { numeric: true });
}

function cellOf(column, row) {
  if (column.number)
    return element("td", { class: "number" }, (column.show ?? shown)(column.number(row)));
  if (column.key === "validity")
    return element("td", { class: `trust ${VALIDITIES[row.series.level(row.i)]}` }, column.text(row));
  return column.key === "text" ? element("td", {}, about(row.series.measure)) : element("td", {}, column.text(row));
}

// A reading's description, which opens to show the rest of its catalogue entry.
function about(measure) {
  if (!measure.more.length)
    return measure.text;
  return element("details", {}, element("summary", {}, measure.text || "more"),
                 element("dl", {}, ...measure.more.flatMap(([what, text]) => [element("dt", {}, what), element("dd", {}, text)])));
}

function rowElement(row, columns) {
  const cells = columns.map(c => cellOf(c, row)), s = row.series;
  const tr = element("tr", { "data-id": `${s.run.letter}${s.number}`, "data-name": s.measure.name, "data-place": s.place }, ...cells);
  shownRows.push({ series: s, cells });
  return tr;
}

function headElement(columns) {
  const sorted = c => c.key === order.key ? (order.down ? "descending" : "ascending") : null;
  return element("thead", {}, element("tr", {}, ...columns.map(c => element("th", { scope: "col", class: c.number ? "number" : null, "aria-sort": sorted(c) },
                                                                            element("button", { type: "button", "data-key": c.key }, c.title)))));
}

function words() {
  return $("search").value.toLowerCase().split(/\s+/).filter(Boolean);
}

function drawTable() {
  const columns = shownColumns(), by = columns.find(c => c.key === order.key), asked = words();
  const open = new Set([...$("table-body").querySelectorAll("details[open]")].map(d => d.closest("tr").dataset.id));
  const rows = tableRows.map(rowOf).filter(row => matches(row, asked)), found = rows.length;

  drawnInterval = state.interval;
  shownRows = [];
  if (by)
    rows.sort((x, y) => compare(x, y, by) * (order.down ? -1 : 1));
  $("found").textContent = `${found} of ${tableRows.length} rows` + (found > ROWS_MOST ? `; the first ${ROWS_MOST} are shown, more words narrow the search` : "");
  $("table-body").replaceChildren(element("div", { class: "wide", tabindex: 0, role: "region", "aria-label": "readings" }, element("table", { class: "readings" }, 
    element("colgroup", {}, ...columns.map(c => element("col", { class: `c-${c.key}` }))), headElement(columns),
    element("tbody", {}, ...rows.slice(0, ROWS_MOST).map(row => rowElement(row, columns))))));
  for (const row of $("table-body").querySelectorAll("tbody tr"))
    if (open.has(row.dataset.id))
      row.querySelector("details").open = true;
}

// For another interval, put new numbers into the same rows, unless the order or the search depends on the numbers.
function refreshTable() {
  const columns = shownColumns();
  if (words().length || columns.some(c => c.key === order.key && (c.number || c.key === "validity"))) {
    drawTable();
    return;
  }
  drawnInterval = state.interval;
  for (const { series, cells } of shownRows) {
    const row = rowOf(series);
    columns.forEach((c, k) => {
      if (c.number)
        cells[k].textContent = (c.show ?? shown)(c.number(row));
      else if (c.key === "validity")
        cells[k].replaceWith(cells[k] = cellOf(c, row));
    });
  }
}

let tableSeen = false;

// Do not redraw the table while it is out of sight or unchanged.
function drawSeenTable() {
  if (tableSeen && drawnInterval === null)
    drawTable();
  else if (tableSeen && drawnInterval !== state.interval)
    refreshTable();
}

function startTable() {
  tableRows = tableSeries();
  $("search").addEventListener("input", drawTable);
  $("table-body").addEventListener("click", e => {
    const key = e.target.closest("th button")?.dataset.key;
    if (!key)
      return;
    order = { key, down: order.key === key && !order.down };
    drawTable();
    $("table-body").querySelector(`button[data-key=${key}]`).focus();
  });
  new IntersectionObserver(seen => {
    tableSeen = seen.some(e => e.isIntersecting);
    drawSeenTable();
  }, { rootMargin: "100px" }).observe($("table"));
  addEventListener("beforeprint", drawTable);
  listen(["interval"], drawSeenTable);
}
