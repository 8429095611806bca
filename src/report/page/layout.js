// Compute where the boxes of a socket lie, from the family's design and the boxes that the part has.  Tiles are {type, number, x, y, w};
// wires are paths with a class; captions label parts of the picture.
const TILE = { core: 58, box: 74, height: 34, gap: 6, ring: 44 };
const SIDE = TILE.core + TILE.gap + TILE.box;		// a core and its slice
const RING = 2 * SIDE + TILE.ring;			// the width of a ring and the tiles on both of its sides
const STEP = TILE.height + TILE.gap;

class Drawing {
  constructor(boxes) {
    this.boxes = boxes;
    this.tiles = [];
    this.wires = [];
    this.captions = [];
  }

  has(type, number) {
    return (this.boxes[type] ?? []).includes(number);
  }

  put(type, number, x, y, w = TILE.box) {
    if (!this.has(type, number))
      return null;
    const tile = { type, number, x, y, w, h: TILE.height };
    this.tiles.push(tile);
    return tile;
  }

  // Place tiles side by side within a width; returns those that the part has.
  row(list, x, y, width) {
    const there = list.filter(([type, number]) => this.has(type, number));
    const w = Math.min(TILE.box, (width - TILE.gap * (there.length - 1)) / there.length);
    return there.map(([type, number], i) => this.put(type, number, x + i * (w + TILE.gap), y, w));
  }

  wire(kind, ...points) {
    this.wires.push({ kind, d: points.map(([x, y], i) => `${i ? "L" : "M"}${x} ${y}`).join("") });
  }

  // Draw a wire from the middle of one tile's edge to the middle of another's.
  join(from, to) {
    if (from && to)
      this.wire("link", [from.x + from.w / 2, from.y + from.h], [from.x + from.w / 2, (from.y + from.h + to.y) / 2],
                [to.x + to.w / 2, (from.y + from.h + to.y) / 2], [to.x + to.w / 2, to.y]);
  }

  caption(text, x, y) {
    this.captions.push({ text, x, y });
  }

  get width() {
    return Math.max(...this.tiles.map(t => t.x + t.w), 1);
  }

  get height() {
    return Math.max(...this.tiles.map(t => t.y + t.h), ...this.captions.map(c => c.y + 4), 1);
  }
}

// The cores and slices of one ring: the first half on the left side, the rest on the right.  At the top and the bottom, the ring passes the
// stops that lie there.
function putRing(d, slice, numbers, x, y, rows, ends) {
  const left = Math.ceil(numbers.length / 2);
  numbers.forEach((n, i) => {
    const right = i >= left, at = y + (right ? i - left : i) * STEP;
    d.put("core", n, right ? x + RING - TILE.core : x, at, TILE.core);
    d.put(slice, n, right ? x + SIDE + TILE.ring : x + TILE.core + TILE.gap, at);
  });
  const from = x + SIDE + 12, to = x + SIDE + TILE.ring - 12, high = y - 10, low = y + rows * STEP - TILE.gap + 10;
  d.wire("ring", [from, high], [from, low]);
  d.wire("ring", [to, high], [to, low]);
  d.wire("ring", [ends.above ? x : from, high], [ends.above ? x + RING : to, high]);
  d.wire("ring", [ends.below ? x : from, low], [ends.below ? x + RING : to, low]);
  numbers.forEach((n, i) => {	// connect each slice to its side of the ring
    const right = i >= left, at = y + (right ? i - left : i) * STEP + TILE.height / 2;
    d.wire("stop", [right ? to : from, at], [right ? x + SIDE + TILE.ring : x + SIDE, at]);
  });
}

// Haswell and Sandy Bridge: one ring for up to eight cores, two rings for more, or one for each of two clusters.
function layoutRings(d, keys) {
  const cores = d.boxes.cbo, clusters = keys.snoop === "cod";
  const first = clusters ? cores.length / 2 : Math.min(8, cores.length);
  const rings = [cores.slice(0, first), cores.slice(first)].filter(r => r.length);
  const pairs = rings.length < 2 ? 0 : cores.length > 12 ? 2 : 1, second = RING + 40;
  const rows = Math.ceil(Math.max(...rings.map(r => r.length)) / 2), top = 2 * STEP + 14, bottom = top + rows * STEP + 14;

  rings.forEach((numbers, r) => putRing(d, "cbo", numbers, r * second, top, rows, { above: true, below: true }));
  if (clusters)
    rings.forEach((_, r) => d.caption(`cluster ${r}`, r * second + RING / 2, bottom + 2 * STEP + 24));
  const stops = d.row([["r3qpi", 0], ["r3qpi", 1], ["r2pcie", 0]], 0, STEP, RING);
  for (const stop of stops) {
    const above = stop.type === "r3qpi" ? ["qpi", stop.number] : ["irp", 0];
    d.join(d.put(...above, stop.x, 0, stop.w), stop);
  }
  putSwitches(d, pairs, second, STEP, bottom);
  putMemory(d, rings.length, second, bottom);
  putRest(d, rings.length > 1 ? second + RING + 24 : RING + 24,
          [["pcu", 0], ["ubox", 0], ["r3qpi", 2], ["qpi", 2], ...[0, 1, 2, 3].map(n => ["sbo", n])]);
}

// SBos lie between the rings, at the top and the bottom.
function putSwitches(d, pairs, second, top, bottom) {
  const ends = [[0, pairs === 2 ? 2 : 1, top], [1, 3, bottom]].slice(0, pairs);
  for (const [near, far, y] of ends) {
    const from = d.put("sbo", near, RING - TILE.box, y), to = d.put("sbo", far, second, y);
    if (from && to)
      d.wire("switch", [from.x + from.w, y + TILE.height / 2], [to.x, y + TILE.height / 2]);
  }
}

// Home agents lie below the rings, with their channels; the catalogue numbers four channels for each agent.
function putMemory(d, rings, second, y) {
  for (const agent of d.boxes.ha ?? []) {
    const apart = rings > 1 && agent > 0, x = apart ? second : 0;
    const half = rings === 1 && d.boxes.ha.length > 1 ? RING / 2 + 3 : 0;
    const ha = d.put("ha", agent, apart ? second + RING - TILE.box : half * agent, y);
    const channels = [0, 1, 2, 3].map(i => ["imc", 4 * agent + i]);
    const row = d.row(channels, half ? half * agent : x, y + STEP + 12, half ? RING / 2 - 3 : RING);
    row.forEach(channel => d.join(ha, channel));
  }
}

// Boxes that are on no ring, or whose place no source gives, form a column beside the rings.
function putRest(d, x, list) {
  let y = 0;
  for (const [type, number] of list) {
    if (d.tiles.some(t => t.type === type && t.number === number))
      continue;
    if (d.put(type, number, x, y))
      y += STEP;
  }
}

// Nehalem-EX: one ring; each half of the slices has an S-Box, a B-Box and an M-Box, and both halves of the router drive links.
function layoutRouter(d) {
  const cores = d.boxes.cbox, rows = Math.ceil(cores.length / 2), bottom = 14 + rows * STEP + 14;

  putRing(d, "cbox", cores, 0, 14, rows, { above: false, below: true });
  for (const half of [0, 1]) {
    const side = half ? RING - TILE.box : 0, inner = half ? RING - 2 * TILE.box - TILE.gap : TILE.box + TILE.gap;
    const s = d.put("sbox", half, half ? RING - SIDE : TILE.core + TILE.gap, bottom);
    const b = d.put("bbox", half, side, bottom + STEP + 10), r = d.put("rbox", half, inner, bottom + STEP + 10);
    d.join(s, b);
    d.join(s, r);
    d.join(b, d.put("mbox", half, side, bottom + 2 * STEP + 22));
    if (r) {
      d.wire("link", [r.x + r.w / 2, r.y + r.h], [r.x + r.w / 2, r.y + r.h + 12]);
      d.caption(half ? "ports 4 to 7" : "ports 0 to 3", r.x + r.w / 2, r.y + r.h + 24);
    }
  }
  putRest(d, RING + 24, [["wbox", 0], ["ubox", 0]]);
}

// A machine without a known layout: a row for each type of box that has readings.
function layoutPlain(d) {
  let y = 0;
  for (const [type, numbers] of Object.entries(d.boxes)) {
    numbers.forEach((n, i) => d.put(type, n, (i % 10) * (TILE.box + TILE.gap), y + Math.floor(i / 10) * STEP));
    y += Math.ceil(numbers.length / 10) * STEP;
  }
}

// The boxes that the readings name, for runs whose file has no head.
function boxesRead(run) {
  const boxes = {};
  for (const s of run.series)
    if (s.index !== null && !(boxes[s.type] ??= []).includes(s.index))
      boxes[s.type].push(s.index);
  return boxes;
}

function layout(run) {
  const d = new Drawing(run.head?.boxes ?? boxesRead(run)), known = run.head?.family && run.head.boxes;
  if (known && d.boxes.cbo)
    layoutRings(d, run.head.keys ?? {});
  else if (run.head?.family === "nhmex" && d.boxes.cbox)
    layoutRouter(d);
  else
    layoutPlain(d);
  return d;
}
