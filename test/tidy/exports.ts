import type { SourceFile } from './layers.js';

/**
 * What files hand out and nobody takes. Names are found by their form in the source; a file that takes another one as a
 * whole (`import * as`, a name of it handed on) takes all that it hands out.
 */

export interface LooseExport {
  readonly path: string;
  readonly name: string;
}

const STATIC =
  /\b(?:import|export)\s+(?:type\s+)?(?:(?<all>\*)(?:\s+as\s+(?<whole>\w+))?|(?:\w+\s*,\s*)?\{(?<names>[^{}]*)\})\s+from\s+'(?<from>\.[^']+)'/g;
const TAKEN_LATER = /\{(?<names>[^{}]*)\}\s*=\s*await\s+import\('(?<from>\.[^']+)'\)/g;
/** `import('./x.js').Name` and `import('./x.js').then(({ name }) => …)`; types as well as values. */
const MEMBER = /\bimport\('(?<from>\.[^']+)'\)\)?\s*\.(?!then\b)(?<names>\w+)/g;
const THEN = /\bimport\('(?<from>\.[^']+)'\)\s*\.then\(\s*\(\{(?<names>[^{}]*)\}/g;
const THEN_WHOLE = /\bimport\('(?<from>\.[^']+)'\)\s*\.then\(\s*\((?<whole>\w+)\)/g;

const VALUE = /^export\s+(?:async\s+)?(?:abstract\s+)?(?:const|let|function\*?|class|enum)\s+(\w+)/gm;
const TYPE = /^export\s+(?:interface|type)\s+(\w+)\b(?!\s*,|\s*\})/gm;

function resolve(path: string, from: string): string {
  const parts = path.split('/').slice(0, -1);
  for (const step of from.replace(/\.js$/, '.ts').split('/')) {
    if (step === '..') parts.pop();
    else if (step !== '.') parts.push(step);
  }
  return parts.join('/');
}

const EVERYTHING = '*';

/** Per file the names that others take of it. */
function takenNames(files: readonly SourceFile[]): Map<string, Set<string>> {
  const taken = new Map<string, Set<string>>();
  for (const { path, text } of files) {
    const take = (from: string, names: readonly string[]): void => {
      const file = resolve(path, from);
      const known = taken.get(file) ?? new Set<string>();
      taken.set(file, known);
      for (const name of names) known.add(name);
    };
    for (const pattern of [STATIC, TAKEN_LATER, MEMBER, THEN, THEN_WHOLE]) {
      for (const { groups } of text.matchAll(pattern)) {
        const { from = '', names, whole } = groups ?? {};
        if (names !== undefined) take(from, listed(names));
        else take(from, whole === undefined ? [EVERYTHING] : membersOf(text, whole));
      }
    }
  }
  return taken;
}

/** `type a, b as c` are a and b. */
function listed(names: string): string[] {
  return names
    .split(/[,;]/)
    .map((one) => /^(?:\s|\/\/.*\n)*(?:type\s+)?(\w+)/.exec(one)?.[1] ?? '')
    .filter((name) => name !== '');
}

function membersOf(text: string, whole: string): string[] {
  const members = [...text.matchAll(new RegExp(`\\b${whole}\\.(\\w+)`, 'g'))].map(([, name]) => name ?? '');
  const isHandedOn = new RegExp(`(?:[(,=\\[]|\\.\\.\\.|:)\\s*${whole}\\s*[),;\\]}]`).test(text);
  return isHandedOn ? [...members, EVERYTHING] : members;
}

/** Values that no other file takes, and types that nobody uses at all. `isEntrance`: taken from outside of the files. */
export function looseExports(
  files: readonly SourceFile[],
  isEntrance: (path: string, name: string, text: string) => boolean,
): LooseExport[] {
  const taken = takenNames(files);
  const out: LooseExport[] = [];
  for (const { path, text } of files) {
    const names = taken.get(path) ?? new Set<string>();
    const isLoose = (name: string): boolean =>
      !names.has(name) && !names.has(EVERYTHING) && !isEntrance(path, name, text);
    for (const [, name = ''] of text.matchAll(VALUE)) if (isLoose(name)) out.push({ path, name });
    for (const [, name = ''] of text.matchAll(TYPE)) {
      const uses = text.match(new RegExp(`\\b${name}\\b`, 'g'))?.length ?? 0;
      if (uses === 1 && isLoose(name)) out.push({ path, name });
    }
  }
  return out;
}
