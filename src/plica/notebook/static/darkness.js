// Whether the page around an element is dark, and when that changes: notebooks have themes of their own.
// @ts-check

const system = matchMedia("(prefers-color-scheme: dark)");

/** How light a color of any notation is, up to 255, and how opaque. @param {string} color @returns {[number, number]} */
function lightness(color) {
  const dot = Object.assign(document.createElement("canvas"), { width: 1, height: 1 });
  const pen = /** @type {CanvasRenderingContext2D} */ (dot.getContext("2d"));
  pen.fillStyle = "transparent"; // what stays where there is no color
  pen.fillStyle = color;
  pen.fillRect(0, 0, 1, 1);
  const [r, g, b, alpha] = pen.getImageData(0, 0, 1, 1).data;
  return [0.2126 * r + 0.7152 * g + 0.0722 * b, alpha];
}

/** By the nearest paper behind an element; where none is painted, by the system. @param {Element} element @returns {boolean} */
export function isDarkAround(element) {
  for (let behind = /** @type {Element | null} */ (element); behind; behind = around(behind)) {
    const [light, alpha] = lightness(getComputedStyle(behind).backgroundColor);
    if (alpha > 127) return light < 128;
  }
  return system.matches;
}

/** The element in which another lies, out of a shadow too. @param {Element} element @returns {Element | null} */
function around(element) {
  const root = element.getRootNode();
  return element.parentElement ?? (root instanceof ShadowRoot ? root.host : null);
}

/** Tell when the theme of the page changes; what is returned ends that. @param {() => void} tell @returns {() => void} */
export function whenThemeChanges(tell) {
  const observer = new MutationObserver(tell);
  for (const place of [document.documentElement, document.body]) observer.observe(place, { attributes: true });
  system.addEventListener("change", tell);
  return () => {
    observer.disconnect();
    system.removeEventListener("change", tell);
  };
}
