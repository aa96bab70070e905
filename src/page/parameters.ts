import { type Json, type JsonObject, parseJson } from '../codec/json.js';
import { field, h } from './dom.js';
import type { Descriptor, Descriptors } from './market.js';

/** A form for what a product asks, by its descriptors, and the parameters that were typed into it. */

type Control = HTMLInputElement | HTMLTextAreaElement;

const INTEGERS: readonly string[] = ['integer', 'long'];
const NUMBERS: readonly string[] = ['number', 'float', 'double'];
const TEXTS: readonly string[] = ['string', 'date'];

function controlOf({ type, required, sample }: Descriptor): Control {
  if (type === 'boolean') return h('input', { type: 'checkbox' });
  const shown = sample === undefined ? undefined : typeof sample === 'string' ? sample : JSON.stringify(sample);
  const common = { required: required === true, placeholder: shown, autocomplete: 'off' };
  if (INTEGERS.includes(type)) return h('input', { ...common, inputmode: 'numeric', pattern: '-?[0-9]+' });
  if (NUMBERS.includes(type)) return h('input', { ...common, inputmode: 'decimal' });
  if (TEXTS.includes(type)) return h('input', common);
  return h('textarea', { ...common, rows: 4 });
}

function readJson(name: string, text: string): Json {
  try {
    return parseJson(text);
  } catch {
    throw new Error(`${name} has to be JSON, such as "text", 5 or {"a": 1}`);
  }
}

/** Undefined: nothing was given. */
function givenOf(name: string, { type }: Descriptor, control: Control): Json | undefined {
  if (control instanceof HTMLInputElement && control.type === 'checkbox') return control.checked;
  const text = control.value.trim();
  if (text === '') return undefined;
  if (TEXTS.includes(type)) return control.value;
  if (INTEGERS.includes(type)) {
    if (!/^-?\d{1,30}$/.test(text)) throw new Error(`${name} is a whole number`);
    const value = Number(text);
    return Number.isSafeInteger(value) ? value : BigInt(text);
  }
  if (NUMBERS.includes(type)) {
    const value = Number(text);
    if (!Number.isFinite(value)) throw new Error(`${name} is a number`);
    return value;
  }
  return readJson(name, text);
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
