import { readdirSync } from 'node:fs';
import t from 'tap';
import type { Refusal } from './define.js';
import { outcomeLater } from './define.js';

/** Each `*.rows.ts` beside this file is a part of the table, by area; a new one is found by its name. */
const parts = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.rows.js'));

/** The reference leaves the asset unfilled in this one, as was recorded; its hint names it. */
const UNFILLED = 'price_asset';

for (const part of parts.sort()) {
  void t.test(part.replace('.rows.js', ''), async (t) => {
    const { refusals } = (await import(`./${part}`)) as { refusals: readonly Refusal[] };
    for (const { row, code, name, message, hint, raise } of refusals) {
      const shown = row.key === UNFILLED ? `${hint}` : `${message} ${hint}`;
      t.notMatch(shown, /\$\{/, 'no placeholder is left unfilled');
      const wanted = { key: row.key, code, name, message, ...(hint === undefined ? {} : { hint }) };
      t.same(await outcomeLater(raise), wanted, row.key);
    }
  });
}
