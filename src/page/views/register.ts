import { sealKey } from '../../trade/key-file.js';
import { keySigner } from '../../trade/signer.js';
import { download, field, form, h, link, problem } from '../dom.js';
import { canSealKeys, checkPassword, NO_CIPHERS, newKey } from '../key-files.js';
import type { Page, View } from '../page.js';
import { register } from '../registration.js';

/** An account for newcomers: the key is made here and kept in a file before anything is registered. */

const LOOK_MS = 1000;
const LOOKS_MAX = 120;
const NAME = '[a-z][a-z0-9\\-]{4,61}[a-z0-9]';

/** The account, once a block has it. */
async function untilThere({ chain }: Page, key: ReturnType<typeof newKey>, left: AbortSignal) {
  for (let i = 0; i < LOOKS_MAX && !left.aborted; i++) {
    const [found] = (await chain?.accountsOf(key)) ?? [];
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  throw new Error('The account is not there yet. Keep the file: with it you sign in as soon as it is');
}

function registerForm(page: Page, left: AbortSignal): HTMLElement {
  const name = h('input', {
    required: true,
    pattern: NAME,
    maxlength: 63,
    autocomplete: 'username',
    spellcheck: 'false',
  });
  const invite = h('input', { autocomplete: 'off', maxlength: 100 });
  const password = h('input', { type: 'password', autocomplete: 'new-password', required: true });
  const again = h('input', { type: 'password', autocomplete: 'new-password', required: true });
  const run = async (): Promise<undefined> => {
    checkPassword(password.value, again.value);
    if ((await page.chain?.isTaken(name.value)) === true) throw new Error(`${name.value} belongs to somebody else`);
    const key = newKey();
    // First of all: an account whose key is lost is lost.
    download(
      `${name.value}.key.json`,
      'application/json',
      await sealKey({ account: '', name: name.value, key }, password.value),
    );
    await register(page.settings, { name: name.value, key, invite: invite.value.trim() }, page.market.now());
    const account = await untilThere(page, key, left);
    page.enter({ ...account, signer: keySigner(key), key });
    page.go('#/account');
  };
  return form(
    'Make a key and register',
    run,
    field('Name', name, { hint: 'Small letters, digits and dashes, six or more, with a digit or a dash in it.' }),
    field('Password of the key file', password, {
      hint: 'Your key is saved among your downloads, behind this password.',
    }),
    field('The password once more', again),
    field('Invite code (if you have one)', invite),
  );
}

export const registerView: View = async (page, _, left) => {
  const title = 'Register an account';
  const { settings, user } = page;
  if (user !== undefined)
    return { title, body: [h('p', {}, `You are ${user.name} already: `, link('#/account', 'your account'))] };
  if (settings.gateway === null) return { title, body: [problem('The operator of this market has named no gateway.')] };
  if (!canSealKeys()) return { title, body: [problem(NO_CIPHERS)] };
  return { title, body: [h('section', { class: 'card' }, registerForm(page, left))] };
};
