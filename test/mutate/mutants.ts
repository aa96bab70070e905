/**
 * Small faults that a test should notice: a comparison that is off by one, a condition turned round, a statement left
 * out. They are made in the built files, so that one costs no build.
 */

export interface Mutant {
  /** Path below the built `src`. */
  readonly file: string;
  /** In the built file, from 1. */
  readonly line: number;
  readonly kind: string;
  readonly before: string;
  readonly after: string;
}

interface Kind {
  readonly name: string;
  readonly pattern: RegExp;
  readonly replacement: string;
}

const KINDS: readonly Kind[] = [
  { name: 'equal', pattern: / === /, replacement: ' !== ' },
  { name: 'unequal', pattern: / !== /, replacement: ' === ' },
  { name: 'at least', pattern: / >= /, replacement: ' > ' },
  { name: 'at most', pattern: / <= /, replacement: ' < ' },
  { name: 'more than', pattern: / > /, replacement: ' >= ' },
  { name: 'less than', pattern: / < /, replacement: ' <= ' },
  { name: 'and', pattern: / && /, replacement: ' || ' },
  { name: 'or', pattern: / \|\| /, replacement: ' && ' },
  { name: 'plus', pattern: / \+ (?=[\w#(])/, replacement: ' - ' },
  { name: 'minus', pattern: / - (?=[\w#(])/, replacement: ' + ' },
  { name: 'not', pattern: /if \(!/, replacement: 'if (' },
  { name: 'true', pattern: /\btrue\b/, replacement: 'false' },
  { name: 'false', pattern: /\bfalse\b/, replacement: 'true' },
  { name: 'step', pattern: /\+\+/, replacement: '--' },
  // A whole statement that is one call: its effect is left out.
  { name: 'call left out', pattern: /^(\s*)(?:await |void )?[\w.#]+(?:\?\.)?\(.*\);$/, replacement: '$1;' },
  { name: 'assignment left out', pattern: /^(\s*)this\.#?[\w.]+ [-+]?= .*;$/, replacement: '$1;' },
  { name: 'early end left out', pattern: /^(\s*if \(.*\)) return.*;$/, replacement: '$1 {}' },
];

/** Lines whose change means nothing or cannot be told from the original. */
const IGNORED = /^\s*(\/\/|\/\*|\*|import |export \* |invariant\(|crashPoint\(|.*\blog\.(debug|info|warn|error)\()/;

/** Every place of a built file where a fault can be made; texts in quotes stay as they are. */
export function mutantsOf(file: string, source: string): Mutant[] {
  const out: Mutant[] = [];
  source.split('\n').forEach((text, i) => {
    if (IGNORED.test(text)) return;
    const bare = withoutTexts(text);
    for (const { name, pattern, replacement } of KINDS) {
      const found = pattern.exec(bare);
      if (found === null) continue;
      const after = text.slice(0, found.index) + text.slice(found.index).replace(pattern, replacement);
      if (after !== text) out.push({ file, line: i + 1, kind: name, before: text.trim(), after });
    }
  });
  return out;
}

/** Quoted texts become as many blanks-free letters, so that places stay and nothing in them matches. */
function withoutTexts(line: string): string {
  return line.replace(
    /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`/g,
    (text) => `'${'x'.repeat(text.length - 2)}'`,
  );
}

export function apply(mutant: Mutant, source: string): string {
  const lines = source.split('\n');
  lines[mutant.line - 1] = mutant.after;
  return lines.join('\n');
}
