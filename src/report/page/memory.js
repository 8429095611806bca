// Plot latency against bandwidth, with a point for each interval, if the readings have both.
const RATES = [["memory_read_bw", "memory_write_bw"], ["MEM_BW_TOTAL"], ["memory_bytes"], ["MEM_BW_READS", "MEM_BW_WRITES"],
               ["MEM_READ_BW", "MEM_WRITE_BW"], ["memory_read_bw"], ["MEM_BW_READS"], ["MEM_READ_BW"]];
const LATENCIES = [/AVG_TOR_DRD_MISS_LATENCY$/, /AVG_LLC_DATA_READ_MISS_LATENCY$/, /AVG_TOR_DRD_LOC_MISS_LATENCY$/,
                   /AVG_TOR_DRD_LATENCY$/, /latency/i];

function measureCalled(name) {
  return measures.find(m => m.metric && m.name.replace(/^(s\d+\.)?[a-z0-9]+\./, "") === name);
}

// The bandwidth of all boxes in an interval, in GB/s.
function rate(measure, run, i) {
  const from = i ? run.times[i - 1] : 0, length = run.times[i] - from;
  let sum = 0;
  for (const s of measure.series[run.number])
    sum += s.value(i);
  return measure.unit === "GB/s" ? sum : measure.unit === "MB/s" ? sum / 1000 : sum / length;	// a byte per ns is a GB/s
}

// The mean over the boxes that have a value: a box without a read in the interval has none.
function latency(measure, run, i) {
  const there = measure.series[run.number].map(s => s.value(i)).filter(v => v > 0);
  return there.length ? there.reduce((a, b) => a + b, 0) / there.length : NaN;
}

// The peak bandwidth of all sockets' channels, in GB/s; 0: the run does not say.
function peak(run) {
  const keys = run.head?.keys;
  return keys?.channels && keys?.ddr_mts ? keys.sockets * keys.channels * keys.ddr_mts * 8 / 1000 : 0;
}

function points() {
  const rates = RATES.map(names => names.map(measureCalled)).find(list => list.every(Boolean));
  const delay = LATENCIES.map(like => measures.find(m => m.metric && like.test(m.name))).find(Boolean);
  if (!rates || !delay)
    return { rates, delay, list: [] };
  const list = runs.flatMap(run => Array.from({ length: run.count }, (_, i) => ({
    run, i, x: rates.reduce((sum, m) => sum + rate(m, run, i), 0), y: latency(delay, run, i) })));
  return { rates, delay, list: list.filter(p => Number.isFinite(p.x) && Number.isFinite(p.y)) };
}

// Round steps for an axis from 0.
function ticks(most) {
  const rough = most / 5 || 1, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map(n => n * power).find(n => n >= rough);
  return Array.from({ length: Math.floor(most / step + 1e-9) + 1 }, (_, i) => i * step);
}

let memoryDots = [];		// the points of each run, by interval
let memoryNow = [];		// the points of the chosen interval

function markMemory() {
  memoryNow.forEach(dot => dot.classList.remove("now"));
  memoryNow = memoryDots.map((dots, number) => dots[intervalOf(runs[number])]).filter(Boolean);
  memoryNow.forEach(dot => dot.classList.add("now"));
}

const VIEW = { width: 720, height: 380, left: 64, right: 20, top: 16, bottom: 46 };

function drawAxes(svg, x, y, most, names) {
  for (const t of ticks(most.x)) {
    svg.append(drawn("path", { class: "grid", d: `M${x(t)} ${VIEW.top}V${VIEW.height - VIEW.bottom}` }),
               drawn("text", { x: x(t), y: VIEW.height - VIEW.bottom + 18, class: "tick middle" }, brief(t)));
  }
  for (const t of ticks(most.y))
    svg.append(drawn("path", { class: "grid", d: `M${VIEW.left} ${y(t)}H${VIEW.width - VIEW.right}` }),
               drawn("text", { x: VIEW.left - 8, y: y(t) + 4, class: "tick end" }, brief(t)));
  svg.append(drawn("text", { x: (VIEW.left + VIEW.width) / 2, y: VIEW.height - 8, class: "tick middle" }, names.x),
             drawn("text", { x: VIEW.left, y: VIEW.top - 4, class: "tick" }, names.y));
}

function drawMemory() {
  const { rates, delay, list } = points(), body = $("memory-body");
  if (!list.length) {
    body.replaceChildren(element("p", { class: "hint" }, !delay ?
      "No plot: it needs a latency, such as the metric cbo.AVG_TOR_DRD_MISS_LATENCY, in addition to the memory bandwidth." : !rates ?
      "No plot: it needs the memory bandwidth, such as the metrics memory_read_bw and memory_write_bw, in addition to a latency." :
      "No plot: no interval has values for both bandwidth and latency."));
    return;
  }
  const tops = runs.map(peak), limit = Math.max(...tops);
  const most = { x: Math.max(limit, ...list.map(p => p.x)) * 1.04, y: Math.max(...list.map(p => p.y)) * 1.1 };
  const x = v => VIEW.left + v / most.x * (VIEW.width - VIEW.left - VIEW.right);
  const y = v => VIEW.height - VIEW.bottom - v / most.y * (VIEW.height - VIEW.top - VIEW.bottom);
  const svg = drawn("svg", { viewBox: `0 0 ${VIEW.width} ${VIEW.height}`, role: "img",
                             "aria-label": `${delay.name} against bandwidth, ${list.length} intervals` });
  drawAxes(svg, x, y, most, { x: `GB/s of all sockets: ${rates.map(m => m.name).join(" + ")}`, y: `${delay.unit}: ${delay.name}, mean of the boxes` });
  [...new Set(tops)].filter(Boolean).forEach(top => svg.append(
    drawn("path", { class: "peak", d: `M${x(top)} ${VIEW.top}V${VIEW.height - VIEW.bottom}` }),
    drawn("text", { x: x(top) - 6, y: VIEW.top + 14, class: "tick end" }, `${brief(top)} GB/s: all channels at full rate`)));
  const dots = drawn("g");
  for (const p of list)
    dots.append(p.run.number ? drawn("path", { class: "dot b", d: `M${x(p.x)} ${y(p.y) - 4}l4 7h-8z` }) :
                drawn("circle", { class: "dot", cx: x(p.x), cy: y(p.y), r: 3 }));
  memoryDots = runs.map(() => []);
  [...dots.children].forEach((dot, k) => {
    dot.point = list[k];
    memoryDots[list[k].run.number][list[k].i] = dot;
  });
  svg.append(dots);
  body.replaceChildren(svg, element("p", { class: "hint" }, `A point is an interval${runs.length > 1 ? " (run A: circles, run B: triangles)" : ""}; click one to choose it.`));
}

function startMemory() {
  const body = $("memory-body");
  drawMemory();
  tipOn(body, target => target.point ? `${runs.length > 1 ? `run ${target.point.run.letter}, ` : ""}until ${time(target.point.run.times[target.point.i])}\n` +
    `${shown(target.point.x)} GB/s\n${shown(target.point.y)}` : null);
  body.addEventListener("click", e => {
    if (e.target.point)
      change({ interval: nearest(e.target.point.run.times[e.target.point.i]) });
  });
  listen(["interval"], markMemory);
}
