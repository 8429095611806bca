// The map of each socket, coloured by the chosen reading; the scale; the readings of one box.
const NAMES = { cbo: "CBo", cbox: "C", sbo: "SBo", sbox: "S", ha: "HA", bbox: "B", imc: "iMC", mbox: "M", qpi: "QPI", r3qpi: "R3QPI",
                r2pcie: "R2PCIe", irp: "IRP", ubox: "UBox", pcu: "PCU", wbox: "WBox", rbox: "R", core: "core" };
let tiles = [];		// {group, rect, text, type, number, socket, x, y}

function socketsOf(run) {
  const read = run.series.map(s => s.socket ?? 0);
  return Math.max(run.head?.keys?.sockets ?? 1, ...read.map(s => s + 1));
}

function drawTile(tile, socket) {
  const single = ["pcu", "ubox", "wbox", "irp", "r2pcie"].includes(tile.type);
  const name = (NAMES[tile.type] ?? tile.type) + (single ? "" : ` ${tile.number}`);
  const rect = drawn("rect", { x: tile.x, y: tile.y, width: tile.w, height: tile.h, rx: 3 });
  const title = drawn("text", { x: tile.x + tile.w / 2, y: tile.y + 12, class: "name" }, name);
  const text = drawn("text", { x: tile.x + tile.w / 2, y: tile.y + 27, class: "value" });
  const group = drawn("g", { class: "tile", tabindex: -1, role: "button", "data-box": `s${socket}.${tile.type}${tile.number}` },
                      rect, title, text);
  tiles.push({ ...tile, group, rect, text, socket, place: `s${socket}.${tile.type}${tile.number}` });
  return group;
}

function drawSockets() {
  const run = runs[state.run], d = layout(run), box = $("sockets");
  const focused = document.activeElement?.dataset?.box;

  tiles = [];
  box.replaceChildren();
  box.style.gridTemplateColumns = `repeat(auto-fit, minmax(min(100%, ${d.width * 0.8}px), 1fr))`;
  for (let socket = 0; socket < socketsOf(run); socket++) {
    const svg = drawn("svg", { viewBox: `-4 -4 ${d.width + 8} ${d.height + 8}`, role: "group", "aria-label": `socket ${socket}` });
    svg.style.maxWidth = `${(d.width + 8) * 1.35}px`;
    d.wires.forEach(w => svg.append(drawn("path", { class: w.kind, d: w.d })));
    d.captions.forEach(c => svg.append(drawn("text", { class: "caption", x: c.x, y: c.y }, c.text)));
    d.tiles.forEach(tile => svg.append(drawTile(tile, socket)));
    box.append(element("figure", {}, element("figcaption", {}, `Socket ${socket}`), svg));
  }
  if (tiles.length)
    (tiles.find(t => t.place === focused) ?? tiles[0]).group.setAttribute("tabindex", 0);
  paint();
}

// The series of the chosen reading, by box.
function readBoxes() {
  return new Map(state.measure.series[state.run].map(s => [s.place, s]));
}

function paint() {
  if (!state.measure)
    return;
  const byBox = readBoxes(), i = intervalOf(runs[state.run]);
  for (const tile of tiles) {
    const s = byBox.get(tile.place), value = s ? s.value(i) : NaN, share = state.measure.share(value);
    const there = !Number.isNaN(value);
    tile.group.setAttribute("class", `tile ${there ? "read" : s ? "empty" : "none"}${tile.place === state.box ? " chosen" : ""}`);
    tile.rect.style.fill = there ? colour(share) : "";
    tile.group.style.color = there ? ink(share) : "";
    tile.text.textContent = there ? brief(value) : s ? "no value" : "";
    tile.series = s;
    tile.group.setAttribute("aria-label", s ? `${tile.place}: ${shown(value)} ${s.unit}, ${s.trust(i)}` : `${tile.place}: not read`);
  }
  drawAbout(byBox, i);
}

// Describe what the map shows, and list the numbers that belong to none of its boxes.
function drawAbout(byBox, i) {
  const m = state.measure, known = new Set(tiles.map(t => t.place));
  const others = [...byBox.values()].filter(s => !known.has(s.place) && !standsForBoxes(s));
  const about = $("map-about");

  about.replaceChildren(element("strong", {}, m.name), ` in ${m.unit}. ${m.text ? m.text + "." : ""} `);
  for (const s of others)
    about.append(element("span", { class: "sum", "data-box": s.place },
                         `${s.box === "all" ? "All" : s.place}: ${shown(s.value(i))} ${s.unit}, ${s.trust(i)}. `));
  if (![...byBox.values()].some(s => known.has(s.place)))
    about.append(prose("em", {}, "This reading belongs to no single box, so nothing is coloured. `stat -A` reads each box."));
  if (!runs[state.run].head)
    about.append(prose("em", {}, "The file does not say what it was measured on, so boxes are listed by type. `stat -j --head` " +
                                   "writes that, and `report -M MACHINE` supplies it."));
}

function drawLegend() {
  const m = state.measure, steps = 9;
  if (!m)
    return;
  const { least, most } = m.domain;
  if (most === least) {
    $("legend").replaceChildren(element("small", {}, m.series.flat().some(s => s.values.some(v => !Number.isNaN(v))) ?
      `All values are ${shown(most)} ${m.unit}.` : "There is no value."));
    return;
  }
  const marks = Array.from({ length: steps }, (_, k) => {
    const share = k / (steps - 1);
    const mark = element("span", {}, brief(least + share * (most - least)));
    mark.style.background = colour(share);
    mark.style.color = ink(share);
    return mark;
  });
  $("legend").replaceChildren(...marks, element("small", {}, `${m.unit}, over all boxes and intervals${runs.length > 1 ? " of both runs" : ""}`));
}

// All readings of the chosen box.
function drawBox() {
  const box = $("box"), run = runs[state.run], i = intervalOf(run);
  const read = state.box ? run.series.filter(s => s.place === state.box) : [];

  if (!state.box) {
    box.replaceChildren(element("p", { class: "hint" }, "Choose a box to see all its readings: click it, or move with the arrow keys and press Enter."));
    return;
  }
  box.replaceChildren(element("h3", {}, state.box), read.length ?
    element("table", {}, element("tbody", {}, ...read.map(s => element("tr", {},
      element("th", { scope: "row" }, s.measure.name), element("td", { class: "number" }, shown(s.value(i))), element("td", {}, s.unit),
      element("td", {}, s.trust(i)))))) :
    element("p", { class: "hint" }, "This box has no readings."));
}

// Find the nearest tile in the direction of an arrow key.
function neighbour(tile, dx, dy) {
  let best = null, least = Infinity;
  for (const t of tiles) {
    const x = t.x + t.w / 2 - tile.x - tile.w / 2, y = t.y - tile.y;
    const along = dx ? x * dx : y * dy, across = dx ? Math.abs(y) : Math.abs(x);
    if (t.socket === tile.socket && along > 1 && along + 3 * across < least) {
      least = along + 3 * across;
      best = t;
    }
  }
  return best;
}

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

function onMapKey(event) {
  const tile = tiles.find(t => t.group === event.target.closest(".tile"));
  if (!tile)
    return;
  if (event.key === "Enter" || event.key === " ") {
    change({ box: tile.place });
  } else if (ARROWS[event.key]) {
    const next = neighbour(tile, ...ARROWS[event.key]) ??
                 tiles.filter(t => t.socket === tile.socket + ({ ArrowLeft: -1, ArrowRight: 1 })[event.key])[0];
    if (next) {
      tile.group.setAttribute("tabindex", -1);
      next.group.setAttribute("tabindex", 0);
      next.group.focus();
    }
  } else {
    return;
  }
  event.preventDefault();
}

function startMap() {
  const box = $("sockets");
  box.addEventListener("keydown", onMapKey);
  box.addEventListener("click", event => {
    const tile = event.target.closest(".tile");
    if (tile)
      change({ box: state.box === tile.dataset.box ? null : tile.dataset.box });
  });
  tipOn(box, target => {
    const tile = tiles.find(t => t.group === target.closest(".tile")), i = intervalOf(runs[state.run]);
    if (!tile)
      return null;
    const s = tile.series;
    return s ? `${tile.place}\n${shown(s.value(i))} ${s.unit}\n${s.trust(i)}` : `${tile.place}\nnot read`;
  });
  listen(["run"], drawSockets);
  listen(["measure", "interval", "box"], paint);
  listen(["measure"], drawLegend);
  listen(["box", "interval", "run"], drawBox);
}
