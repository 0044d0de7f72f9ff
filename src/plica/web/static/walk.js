// Walking from region to region with the keyboard.
// @ts-check

/** @typedef {import("./plane.js").Plane} Plane */

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

export class Walk {
  /** @param {Plane} plane */
  constructor(plane) {
    this.plane = plane;
    /** @type {{around: number[], at: number, mesh: import("./mesh.js").Mesh} | undefined} where Tab was first pressed */
    this.begun = undefined;
    plane.element.addEventListener("keydown", (event) => this.key(event));
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const { plane } = this;
    if (!plane.mesh || event.ctrlKey || event.metaKey || event.altKey) return;
    const arrow = ARROWS[/** @type {keyof typeof ARROWS} */ (event.key)];
    if (arrow && event.shiftKey) plane.pan(-0.1 * arrow[0], -0.1 * arrow[1]);
    else if (arrow) this.go(arrow[0], arrow[1]);
    else if (event.key === "Tab" && plane.hovered >= 0) {
      const next = this.neighbor(event.shiftKey ? -1 : 1);
      if (next < 0) return;
      plane.look(next, true);
    } else if (event.key === "Escape" && plane.hovered >= 0) {
      this.begun = undefined;
      plane.look(-1, true);
    } else if (event.key === "Enter") {
      if (plane.hovered < 0) this.go(0, 0);
      plane.pin();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {number} dx @param {number} dy */
  go(dx, dy) {
    const { mesh, hovered } = this.plane;
    if (!mesh) return;
    this.begun = undefined;
    if (hovered < 0) return this.plane.look(mesh.at(...this.plane.unit([0.5, 0.5])), true);
    const next = mesh.toward(hovered, dx, dy);
    if (next >= 0) this.plane.look(next, true);
  }

  /** The neighbors of the region where Tab was first pressed, one after the other; then Tab leaves. @param {number} step */
  neighbor(step) {
    const { mesh, hovered } = this.plane;
    if (!mesh) return -1;
    this.begun ??= { around: [hovered, ...mesh.neighbors(hovered)], at: 0, mesh };
    if (this.begun.mesh !== mesh) return -1;
    this.begun.at += step;
    return this.begun.around[this.begun.at] ?? ((this.begun = undefined), -1);
  }
}
