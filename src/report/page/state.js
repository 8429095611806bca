// The data, and the state of the page: which part of the data is shown.
const data = JSON.parse($("data").textContent);
const VALIDITIES = [...data.validities, "no line"];
const VALUELESS = VALIDITIES.indexOf("not-modelled");	// from this validity on, a reading has no value

class Series {
  constructor(row, run, number) {
    const box = /^([a-z0-9_]*?[a-z_])(\d*)$/.exec(row.box) || [row.box, row.box, ""];
    Object.assign(this, { row, run, number, box: row.box, unit: row.unit, socket: row.socket ?? null });
    this.type = box[1];
    this.index = box[2] === "" ? null : Number(box[2]);
    this.measure = null;
    this.columns = {};
  }

  column(name) {
    if (!(name in this.columns))
      this.columns[name] = unpackValues(this.row[name], this.run.count);
    return this.columns[name];
  }

  // The validity of each interval, by its number.
  get levels() {
    this.known ??= unpack(this.row.validity, this.run.count);
    return this.known;
  }

  // The value of each interval, NaN where there is none.
  get values() {
    if (!this.all) {
      const levels = this.levels;
      this.all = (this.column("value") ?? new Float64Array(this.run.count)).map((v, i) => levels[i] < VALUELESS ? v : NaN);
    }
    return this.all;
  }

  level(i) {
    return i < this.run.count ? this.levels[i] : VALIDITIES.length - 1;
  }

  value(i) {
    return i < this.run.count ? this.values[i] : NaN;
  }

  of(name, i) {
    const column = this.column(name);
    return column && this.level(i) < VALUELESS ? column[i] : NaN;
  }

  trust(i) {
    return trust(VALIDITIES[this.level(i)], this.value(i), this.of("error", i));
  }

  // "s0.imc1"
  get place() {
    return this.socket === null ? this.box : `s${this.socket}.${this.box}`;
  }
}

// An event or metric in one unit, with its series in each run.
class Measure {
  constructor(about, unit) {
    Object.assign(this, { name: about.name, metric: about.metric, text: about.text ?? "", more: about.more, unit, series: [] });
  }

  // Minimum and maximum over all boxes and intervals of all runs; the minimum is 0 unless all values are in the upper half.
  get domain() {
    if (this.known)
      return this.known;
    let least = Infinity, most = -Infinity;
    for (const s of this.series.flat())
      for (const v of s.values) {
        if (v < least)
          least = v;
        if (v > most)
          most = v;
      }
    if (least === Infinity)
      least = most = 0;
    if (least > 0 && least < most / 2)
      least = 0;
    this.known = { least, most };
    return this.known;
  }

  share(value) {
    const { least, most } = this.domain;
    return most > least ? (value - least) / (most - least) : 0;
  }
}

function readRun(raw, number) {
  const run = { ...raw, number, letter: "AB"[number], times: unpack(raw.times, raw.count) };
  run.series = raw.series.map((row, i) => new Series(row, run, i));
  return run;
}

const runs = data.runs.map(readRun);
const measures = [];
for (const run of runs)
  for (const s of run.series) {
    const about = data.names[s.row.name];
    let measure = measures.find(m => m.about === about && m.unit === s.unit);
    if (!measure) {
      measure = Object.assign(new Measure(about, s.unit), { about });
      measure.series = runs.map(() => []);
      measures.push(measure);
    }
    measure.series[run.number].push(s);
    s.measure = measure;
  }

// The state of the page.  Functions that draw a part of it are called when that part changes.
const state = { measure: null, interval: 0, run: 0, box: null };
const listeners = [];

// what: names of parts of the state, and "theme".
function listen(what, draw) {
  listeners.push({ what, draw });
}

let waiting = null;
// Report changes once per frame, however many there were.
function change(parts) {
  Object.assign(state, parts);
  if (!waiting) {
    waiting = new Set();
    requestAnimationFrame(() => {
      const changed = waiting;
      waiting = null;
      for (const { what, draw } of listeners)
        if (what.some(name => changed.has(name)))
          draw();
    });
  }
  Object.keys(parts).forEach(name => waiting.add(name));
}

// The run's interval at the chosen time.  The slider chooses among the times of the first run.
function intervalOf(run) {
  if (run.number === 0 || run.count === 0)
    return state.interval;
  const now = runs[0].times[state.interval];
  let from = 0, to = run.count - 1;
  while (from < to) {
    const mid = (from + to) >> 1;
    if (run.times[mid] < now)
      from = mid + 1;
    else
      to = mid;
  }
  return from;
}

// The series of the other run for the same reading.
function counterpart(s) {
  const other = s.measure.series[1 - s.run.number];
  return other && other.find(o => o.box === s.box && o.socket === s.socket);
}
