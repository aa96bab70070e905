import type { Json, JsonObject } from '../codec/json.js';
import { INTEGER_TYPES, NUMBER_TYPES, parameterOf, TEXT_TYPES } from '../trade/parameters.js';
import { field, h } from './dom.js';
import type { Descriptor, Descriptors } from './market.js';

/** A form for what a product asks, by its descriptors, and the parameters that were typed into it. */

type Control = HTMLInputElement | HTMLTextAreaElement;

function controlOf({ type, required, sample }: Descriptor): Control {
  if (type === 'boolean') return h('input', { type: 'checkbox' });
  const shown = sample === undefined ? undefined : typeof sample === 'string' ? sample : JSON.stringify(sample);
  const common = { required: required === true, placeholder: shown, autocomplete: 'off' };
  if (INTEGER_TYPES.includes(type)) return h('input', { ...common, inputmode: 'numeric', pattern: '-?[0-9]+' });
  if (NUMBER_TYPES.includes(type)) return h('input', { ...common, inputmode: 'decimal' });
  if (TEXT_TYPES.includes(type)) return h('input', common);
  return h('textarea', { ...common, rows: 4 });
}

/** Undefined: nothing was given. */
function givenOf(name: string, { type }: Descriptor, control: Control): Json | undefined {
  if (control instanceof HTMLInputElement && control.type === 'checkbox') return control.checked;
  if (control.value.trim() === '') return undefined;
  return parameterOf(name, type, control.value);
}

export interface Parameters {
  readonly fields: readonly HTMLElement[];
  read(): JsonObject;
}

export function parametersOf(input: Descriptors): Parameters {
  const controls = Object.entries(input).map(([name, one]) => ({ name, one, control: controlOf(one) }));
  return {
    fields: controls.map(({ name, one, control }) => {
      const isInline = one.type === 'boolean';
      const mark = one.required === true || isInline ? '' : ' (may be left out)';
      return field(`${name}${mark}`, control, { isInline, ...(one.desc ? { hint: one.desc } : {}) });
    }),
    read: () => {
      const given = controls.map(({ name, one, control }) => [name, givenOf(name, one, control)] as const);
      return Object.fromEntries(given.filter(([, value]) => value !== undefined)) as JsonObject;
    },
  };
}
