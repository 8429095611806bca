// Time lines: a plot over time for each reading, with both runs in it.  All plots show the same range of time.
const LINES_MOST = 8;		// up to this many boxes have a line each; for more, minimum, mean and maximum are drawn
const COLOURS = { light: ["#0072b2", "#b34e00", "#007a59", "#a8487f", "#7a6000", "#4b3fae", "#333333", "#b30000"],
                  dark: ["#56b4e9", "#e69f00", "#4dd8a9", "#e6a0c8", "#f0e442", "#7fc4ff", "#dddddd", "#ff8a75"] };
const plots = new Set();	// plots drawn so far
let stretch = null;		// the range of time shown: [from, to] in ms; null: all

// Minimum, mean and maximum of several series in each interval; NaN where no series has a value.
function envelope(series, count) {
  const least = new Float64Array(count).fill(NaN), mean = least.slice(), greatest = least.slice(), there = new Uint16Array(count);
  for (const { values } of series)
    for (let i = 0; i < count; i++) {
      const v = values[i];
      if (Number.isNaN(v))
        continue;
      least[i] = v > least[i] ? least[i] : v;
      greatest[i] = v < greatest[i] ? greatest[i] : v;
      mean[i] = there[i]++ ? mean[i] + v : v;
    }
  return { least, mean: mean.map((sum, i) => sum / there[i]), greatest };
}

// Lines of one run: {label, values}
function linesOf(measure, run) {
  const series = measure.series[run.number].filter(s => !standsForBoxes(s)), prefix = runs.length > 1 ? `${run.letter} ` : "";
  const own = list => list.map(s => ({ label: prefix + s.place, values: s.values }));

  if (series.length <= LINES_MOST)
    return own(series);
  const { least, mean, greatest } = envelope(series, run.count);
  return [{ label: `${prefix}least`, values: least }, { label: `${prefix}mean of ${series.length} boxes`, values: mean },
          { label: `${prefix}greatest`, values: greatest }, ...own(series.filter(s => s.place === state.box))];
}

// Rows for the plot: the time in ms, then each line's value; no value where only the other run has an interval that ends then.
function rowsOf(lines) {
  const rows = new Map(), width = lines.reduce((n, l) => n + l.lines.length, 0);
  let first = 1;
  for (const { run, lines: own } of lines) {
    for (let i = 0; i < run.count; i++) {
      const ms = run.times[i] / 1e6;
      let row = rows.get(ms);
      if (!row)
        rows.set(ms, row = [ms, ...new Array(width).fill(null)]);
      for (let k = 0; k < own.length; k++)
        row[first + k] = own[k].values[i];
    }
    first += own.length;
  }
  return [...rows.values()].sort((a, b) => a[0] - b[0]);
}

function isDark() {
  const set = document.documentElement.dataset.theme;
  return set ? set === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

function optionsOf(measure, lines, plot) {
  const style = getComputedStyle(document.documentElement), all = lines.flatMap(l => l.lines.map((line, k) => ({ ...line, run: l.run, k })));
  const palette = COLOURS[isDark() ? "dark" : "light"];
  return {
    labels: ["ms", ...all.map(l => l.label)],
    colors: all.map(l => palette[l.k % palette.length]),
    series: Object.fromEntries(all.map(l => [l.label, { strokePattern: l.run.number ? [6, 4] : null }])),
    strokeWidth: 1.5, connectSeparatedPoints: true, labelsDiv: plot.legend, legend: "always", dateWindow: stretch,
    axisLabelFontSize: 12, gridLineColor: style.getPropertyValue("--line"), axisLineColor: style.getPropertyValue("--line"),
    axes: { y: { axisLabelFormatter: brief, valueFormatter: shown, axisLabelWidth: 56 },
            x: { axisLabelFormatter: ms => `${Number(ms.toPrecision(6))}`, valueFormatter: ms => `${Number(ms.toFixed(6))} ms` } },
    includeZero: measure.domain.least === 0,
    zoomCallback: (from, to) => zoom([from, to], plot.graph),
    drawCallback: () => mark(plot),
    interactionModel: Dygraph.defaultInteractionModel,
  };
}

// Mark the chosen interval's end with a line across the plot.
function mark(plot) {
  if (!plot.graph || !runs[0].count)
    return;
  const ms = runs[0].times[state.interval] / 1e6, [from, to] = plot.graph.xAxisRange();
  plot.cursor.hidden = ms < from || ms > to;
  plot.cursor.style.left = `${plot.graph.toDomXCoord(ms)}px`;
}

function whole() {
  const ends = runs.filter(r => r.count).flatMap(r => [r.times[0] / 1e6, r.times[r.count - 1] / 1e6]);
  return [Math.min(...ends), Math.max(...ends)];
}

function zoom(to, from = null) {
  const [first, last] = whole();
  stretch = to && (to[0] > first || to[1] < last) ? to : null;
  for (const plot of plots)
    if (plot.graph !== from)
      plot.graph.updateOptions({ dateWindow: stretch });
}

// Zoom in or out around the chosen interval, or pan.
function zoomBy(factor, along = 0) {
  const [first, last] = whole(), [from, to] = stretch ?? [first, last];
  const middle = factor < 1 && !along ? Math.min(to, Math.max(from, runs[0].times[state.interval] / 1e6)) : (from + to) / 2;
  const half = Math.min(last - first, (to - from) * factor) / 2, at = middle + along * (to - from);
  const low = Math.max(first, Math.min(at - half, last - 2 * half));
  zoom([low, Math.min(last, low + 2 * half)]);
}

function drawPlot(plot) {
  const lines = runs.map(run => ({ run, lines: linesOf(plot.measure, run) }));

  plot.graph?.destroy();
  plot.graph = null;	// the library calls the callbacks before it returns the graph
  plot.graph = new Dygraph(plot.canvas, rowsOf(lines), optionsOf(plot.measure, lines, plot));
  plots.add(plot);
  mark(plot);
}

const KEYS = { "+": () => zoomBy(0.5), "=": () => zoomBy(0.5), "-": () => zoomBy(2), "0": () => zoom(null),
               ArrowLeft: () => zoomBy(1, -0.25), ArrowRight: () => zoomBy(1, 0.25) };

function makePlot(measure) {
  const canvas = element("div", { class: "plot", tabindex: 0, role: "img", "aria-label": `${measure.name} over time; the table has the numbers` }), legend = element("div", { class: "plot-legend" });
  const cursor = element("div", { class: "cursor", hidden: "" });
  const plot = { measure, canvas, legend, cursor, graph: null };
  const title = element("h3", {}, measure.name, element("small", {}, ` ${measure.unit}`));

  plot.figure = element("figure", { class: "line" }, title, measure.text ? element("p", {}, measure.text) : "",
                        element("div", { class: "plot-frame" }, canvas, cursor), legend);
  canvas.addEventListener("keydown", e => {
    if (!KEYS[e.key] || e.ctrlKey || e.metaKey || e.altKey)
      return;
    KEYS[e.key]();
    e.preventDefault();
  });
  canvas.addEventListener("click", () => {
    const x = plot.graph?.getSelection() ?? -1;
    if (x >= 0)
      change({ interval: nearest(plot.graph.getValue(x, 0) * 1e6) });
  });
  return plot;
}

// Find the first run's interval whose end is nearest to a time.
function nearest(ns) {
  const times = runs[0].times;
  let best = 0;
  for (let i = 1; i < times.length; i++)
    if (Math.abs(times[i] - ns) < Math.abs(times[best] - ns))
      best = i;
  return best;
}

// List the readings that never change, or have no value: a plot would show a straight line or nothing.
function sayConstant(list) {
  const value = m => m.series.flat().some(s => s.values.some(v => !Number.isNaN(v))) ? `${shown(m.domain.most)} ${m.unit}` : "no value";
  return list.length ? element("p", { class: "constant" }, "The same in all boxes and intervals: ", list.map(m => `${m.name} (${value(m)})`).join(", "), ".") : "";
}

function startLines() {
  const body = $("lines-body");
  if (runs.every(run => run.count < 2)) {
    body.append(prose("p", { class: "hint" }, "There is one reading for the whole run. `stat -I 1ms` reads at intervals, which are drawn here."));
    return;
  }
  const changing = measures.filter(m => m.domain.most > m.domain.least), byKind = kind => changing.filter(m => m.metric === kind);
  const all = [...byKind(true), ...byKind(false)].map(makePlot), byFigure = new Map(all.map(p => [p.figure, p]));
  const button = (text, act) => element("button", { type: "button", onclick: act }, text);
  const observer = new IntersectionObserver(seen => {
    for (const e of seen.filter(e => e.isIntersecting)) {
      observer.unobserve(e.target);
      drawPlot(byFigure.get(e.target));
    }
  }, { rootMargin: "300px" });

  body.append(element("p", { class: "bar" }, button("Zoom in", KEYS["+"]), button("Zoom out", KEYS["-"]), button("Earlier", KEYS.ArrowLeft),
                      button("Later", KEYS.ArrowRight), button("All", KEYS["0"]),
                      element("span", { class: "hint" }, "Drag across a plot to zoom, double-click for all; with the focus on a plot: + - 0 and arrows. " +
                                      "A click chooses the interval. Times are in ms." + (runs.length > 1 ? " Run A is drawn solid, run B dashed." : ""))),
              element("div", { class: "plots" }, ...all.map(p => p.figure)), sayConstant(measures.filter(m => !changing.includes(m))));
  all.forEach(p => observer.observe(p.figure));
  addEventListener("beforeprint", () => all.forEach(p => p.graph ?? drawPlot(p)));
  listen(["interval"], () => plots.forEach(mark));
  listen(["theme", "box"], () => plots.forEach(drawPlot));
}
