// Letters with an index: σ_w is set as σ with a small w below it, in the page and on canvases.
// @ts-check

/** Plain parts and indices in turn. @param {string} text */
const parts = (text) => text.split(/_(\w)(?!\w)/);
/** How large an index is, and by how much it is lower, in parts of the letters. */
const [SMALL, LOWER] = [0.72, 0.22];

/** @param {Element} place @param {string} text */
export function setIndexed(place, text) {
  place.replaceChildren(
    ...parts(text).map((part, i) => (i % 2 ? Object.assign(document.createElement("sub"), { textContent: part }) : part)),
  );
}

/**
 * Write as the pen is set to; a middle or an end is that of all of it.
 * @param {CanvasRenderingContext2D} pen @param {string} text @param {number} x @param {number} y
 */
export function writeIndexed(pen, text, x, y) {
  const { font, textAlign } = pen;
  const size = Number(/([\d.]+)px/.exec(font)?.[1]);
  const fonts = [font, font.replace(/[\d.]+px/, `${SMALL * size}px`)];
  const found = parts(text);
  const widths = found.map((part, i) => {
    pen.font = fonts[i % 2];
    return pen.measureText(part).width;
  });
  const whole = widths.reduce((sum, width) => sum + width, 0);
  let at = x - (textAlign === "center" ? whole / 2 : textAlign === "right" ? whole : 0);
  pen.textAlign = "left";
  found.forEach((part, i) => {
    pen.font = fonts[i % 2];
    pen.fillText(part, at, y + (i % 2 ? LOWER * size : 0));
    at += widths[i];
  });
  [pen.font, pen.textAlign] = [font, textAlign];
}
