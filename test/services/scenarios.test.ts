import { readFileSync } from 'node:fs';
import t from 'tap';
import { projectPath } from '../support/paths.js';

/** Which test holds which scenario of the exchange: file below test/services, and words of its title. */

const SCENARIOS: Readonly<Record<string, readonly (readonly [file: string, title: string])[]>> = {
  E1: [
    ['trade', 'V1: an authorization'],
    ['trade', 'V2: packets'],
    ['trade', 'V3: texts'],
    ['text-signatures', 'who has signed'],
    ['trade', 'V4: an authorization of storage'],
    ['trade', 'V5: the whole transaction'],
    ['trade', 'V6: real traffic'],
    ['content-store', 'ids are those of public tools'],
  ],
  E2: [['market/market', 'bindings']],
  E3: [['market/market', 'categories and products']],
  E4: [['des/refusals', 'E4: heartbeats']],
  E5: [['des/release', 'E5: a heartbeat is good for fifty seconds']],
  E6: [['des/purchases', 'E6: one source, the JavaScript client']],
  E7: [['des/purchases', 'E7: the Python client']],
  E8: [['des/purchases', 'E8: no padding']],
  E9: [['des/purchases', 'E9: the names of the specification']],
  E10: [['des/purchases', 'E10, E26']],
  E11: [['des/purchases', 'E11: sources that fail']],
  E12: [['des/purchases', 'E12: a source with a nonce of its own']],
  E13: [['des/purchases', 'E13: a buyer who sells as well']],
  E14: [['des/refusals', 'E14: nobody online']],
  E15: [['des/refusals', 'E15: a balance for one of two']],
  E16: [['des/refusals', 'E16: each by its name']],
  E17: [['des/purchases', 'E17: what each of them has before and after']],
  E18: [['des/refusals', 'E18: the same again']],
  E19: [['des/refusals', 'E19: a balance that is gone']],
  E20: [['des/crash', 'killed at']],
  E21: [['des/crash', 'E21: an authorization that ends while nobody works on it']],
  E22: [['des/crash', 'E22: a node that goes away']],
  E23: [['../exchange/fork', 'E23: the block of a payment is undone by a fork']],
  E24: [['des/release', 'E24: released when it is']],
  E25: [['des/refusals', 'E25: every code, by both clients']],
  E26: [['des/purchases', 'E10, E26']],
  E27: [['exchange', 'E27: a price that changes']],
  E28: [['market/votes', 'ten members, of whom seven have to agree']],
  E29: [['market/votes', 'applications, of which five in a row']],
  E30: [['market/votes', 'applications, of which five in a row']],
  E31: [['market/votes', 'who votes, when, and how often']],
  E32: [['market/votes', 'invitations that are none']],
  E33: [['market/votes', 'how votes are shown']],
  E34: [
    ['market/mail', 'killed between the vote and its letters'],
    ['market/votes', 'notifications'],
  ],
  E35: [['market/bills', 'two months, a midnight']],
  E36: [
    ['market/bills', 'whose they are'],
    ['market/market', 'who is believed'],
  ],
  E37: [['storage/scenarios', 'E37: fourteen bytes']],
  E38: [['storage/scenarios', 'E38: where it produces whole numbers']],
  E39: [['storage/scenarios', 'E39: bytes instead of a text']],
  E40: [
    ['storage/scenarios', 'E40: the largest file'],
    ['storage/storage', 'bytes of all values, in any order'],
    ['storage/storage', 'what a form of any client looks like'],
  ],
  E41: [['storage/storage', 'every code']],
  E42: [['storage/storage', 'the same request again, and again at the same time']],
  E43: [['storage/crash', 'killed at']],
  E44: [['storage/storage', 'the provider, by every path and method']],
  E45: [['storage/storage', 'what is not there, and what nobody serves']],
  E46: [['market/hostile', 'logos']],
};

for (const [name, places] of Object.entries(SCENARIOS)) {
  for (const [file, title] of places) {
    t.test(`${name} is held by ${file}`, async (t) => {
      const source = readFileSync(projectPath('test', 'services', `${file}.test.ts`), 'utf8');
      t.match(source, new RegExp(`t\\.test\\(\\s*[\`']${title}`), title);
    });
  }
}
