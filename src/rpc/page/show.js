/** Building blocks of the page. Texts of the chain are only ever set as text, never as markup. */

export const $ = (id) => document.getElementById(id);

export function element(name, attributes = {}, ...children) {
  const out = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith('on')) out.addEventListener(key.slice(2), value);
    else out.setAttribute(key, value);
  }
  out.append(...children);
  return out;
}

export function svg(name, attributes = {}, text = '') {
  const out = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) out.setAttribute(key, value);
  if (text !== '') out.textContent = text;
  return out;
}

export const setText = (id, text) => {
  const target = $(id);
  if (target.textContent !== text) target.textContent = text;
};

export const group = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, ' ');

/** 128 slots, the newest on the right. What lies before the first filled one is no miss but another time. */
export function drawSlots(target, filledDecimal) {
  const filled = BigInt(filledDecimal);
  const known = filled === 0n ? 0 : filled.toString(2).length;
  target.replaceChildren();
  for (let i = 0; i < 128; i++) {
    const isFilled = (filled >> BigInt(127 - i)) & 1n;
    target.append(svg('rect', { x: i * 3, y: 0, width: 2.4, height: 24, rx: 0.8, class: isFilled ? 'good' : 127 - i < known ? 'bad' : 'idle' }));
  }
}

function arc(from, to, inner, outer) {
  const at = (angle, radius) => `${(radius * Math.sin(angle)).toFixed(2)} ${(-radius * Math.cos(angle)).toFixed(2)}`;
  const large = to - from > Math.PI ? 1 : 0;
  return `M${at(from, outer)}A${outer} ${outer} 0 ${large} 1 ${at(to, outer)}L${at(to, inner)}A${inner} ${inner} 0 ${large} 0 ${at(from, inner)}Z`;
}

/** The schedule as a ring: made (green), now (amber), missed since the last round (red), still to come (grey). */
export function drawRing(target, slots, head) {
  target.replaceChildren();
  const count = slots.length;
  const step = (2 * Math.PI) / count;
  slots.forEach(({ name, state }, i) => {
    // A full circle has no arc; a hair less has.
    const to = Math.min((i + 1) * step, i * step + 2 * Math.PI - 0.001);
    const path = svg('path', { d: arc(i * step, to, 70, 100), class: state });
    path.append(svg('title', {}, name));
    target.append(path);
    if (count <= 36) {
      const middle = (i + 0.5) * step;
      const [x, y] = [116 * Math.sin(middle), -116 * Math.cos(middle)];
      target.append(svg('text', { x: x.toFixed(1), y: y.toFixed(1) }, name.length > 8 ? `${name.slice(0, 7)}…` : name));
    }
  });
  target.append(svg('text', { class: 'center', y: -6 }, group(head)), svg('text', { class: 'under', y: 18 }, 'head block'));
}
