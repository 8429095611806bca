// Unpack columns of numbers from the short texts that src/report/pack.h describes.
const DIGIT = new Uint8Array(128);
"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".split("").forEach((c, i) => { DIGIT[c.charCodeAt(0)] = i; });

// Read `count` whole numbers from a text and divide them by `scale`.
function unpack(text, count, scale = 1) {
  const out = new Float64Array(count);
  let at = 0, filled = 0, last = 0;

  function number() {
    let value = 0, weight = 1, digit;
    do {
      digit = DIGIT[text.charCodeAt(at++)];
      value += (digit & 31) * weight;
      weight *= 32;
    } while (digit & 32);
    return value;
  }
  while (at < text.length) {
    const step = number();
    let times = step === 0 ? number() : 1;

    last += step % 2 ? -(step - 1) / 2 : step / 2;
    while (times-- > 0)
      out[filled++] = last / scale;
  }
  return out;
}

// Unpack a column of values: [decimal places, text], or [-1, values] if they are not packed.
function unpackValues(column, count) {
  if (!column)
    return null;
  if (column[0] < 0)
    return Float64Array.from(column[1], v => v === null ? NaN : v);
  return unpack(column[1], count, 10 ** column[0]);
}
