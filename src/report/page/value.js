// Numbers as `boxscore stat` prints them, short forms for narrow places, and colours.

// Round as printf's %.Nf does: exact halves to even.
function fixed(value, digits) {
  const exact = Math.abs(value).toFixed(Math.min(100, digits + 60));
  const point = exact.indexOf(".") + 1 + digits;
  let text = value.toFixed(digits);

  if (/^50*$/.test(exact.slice(point))) {
    const kept = exact.slice(0, point).replace(/\.$/, "");
    const even = "02468".includes(kept[kept.length - 1]);
    if (even)
      text = (value < 0 ? "-" : "") + kept;
  }
  return text;
}

// Format a whole number with thousands separators, any other value with three or four decimal places.
function shown(value) {
  if (value === null || Number.isNaN(value))
    return "-";
  const whole = Number.isInteger(value) && Math.abs(value) < 2 ** 53;
  if (!whole && Math.abs(value) < 1e5)
    return fixed(value, Math.abs(value) < 1 ? 4 : 3);
  return fixed(value, 0).replace(/\B(?=(\d{3})+$)/g, ",");
}

const POWERS = [[1e18, "E"], [1e15, "P"], [1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]];

// Format a number with three digits and a unit prefix, for axes and boxes of the map.
function brief(value) {
  if (value === null || Number.isNaN(value))
    return "-";
  const power = POWERS.find(([least]) => Math.abs(value) >= least * 0.9995);
  if (power)
    return Number((value / power[0]).toPrecision(3)) + power[1];
  return String(Number(value.toPrecision(3)));
}

// Format nanoseconds as a time for people to read.
function time(ns) {
  if (ns >= 1e9)
    return `${Number((ns / 1e9).toFixed(6))} s`;
  return ns >= 1e6 ? `${Number((ns / 1e6).toFixed(6))} ms` : `${Number((ns / 1e3).toFixed(3))} \u00b5s`;
}

// A reading's validity, with the error of a scaled one, as in the table of `stat`.
function trust(validity, value, error) {
  if (validity !== "scaled")
    return validity;
  if (value !== 0 && error > Math.abs(value))
    return "scaled \u00b1>100%";
  const part = value !== 0 ? 100 * error / Math.abs(value) : error;
  return `scaled \u00b1${part < 10 ? Number(part.toPrecision(2)) : fixed(part, 0)}${value !== 0 ? "%" : ""}`;
}

// Colours from blue to yellow, each lighter than the one before, so that the scale also works without colour vision and in grey.
const SCALE = [[0, 32, 76], [0, 52, 110], [57, 71, 107], [87, 93, 109], [112, 113, 115], [138, 135, 121], [166, 157, 117],
               [196, 181, 108], [228, 207, 91], [255, 234, 70]];

// share: 0 to 1.
function mixed(share) {
  const at = Math.min(1, Math.max(0, share)) * (SCALE.length - 1), i = Math.min(SCALE.length - 2, Math.floor(at));
  return SCALE[i].map((c, k) => Math.round(c + (SCALE[i + 1][k] - c) * (at - i)));
}

function colour(share) {
  return `rgb(${mixed(share).join(",")})`;
}

// The colour of text on that colour: black or white, whichever has the higher contrast by luminance as WCAG defines it.
function ink(share) {
  const [r, g, b] = mixed(share).map(c => c <= 10 ? c / 3295 : ((c / 255 + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.179 ? "#000" : "#fff";
}

// Make an element with attributes, and children or text.
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes))
    if (key.startsWith("on"))
      made.addEventListener(key.slice(2), value);
    else if (value !== null && value !== false)
      made.setAttribute(key, value);
  made.append(...children);
  return made;
}

// Make an element from a sentence with commands in backquotes.
function prose(kind, attributes, text) {
  return element(kind, attributes, ...text.split("`").map((part, i) => i % 2 ? element("code", {}, part) : part));
}

function drawn(name, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes))
    made.setAttribute(key, value);
  made.append(...children);
  return made;
}

const $ = id => document.getElementById(id);
