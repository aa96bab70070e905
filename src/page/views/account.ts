import { PrivateKey } from '../../crypto/private-key.js';
import { publicKeyToText } from '../../crypto/public-key.js';
import { openKey, sealKey } from '../../trade/key-file.js';
import { keySigner } from '../../trade/signer.js';
import { amountText } from '../amounts.js';
import type { Chain } from '../chain.js';
import { download, facts, field, form, h, link, problem, say, select } from '../dom.js';
import { canSealKeys, checkPassword, NO_CIPHERS } from '../key-files.js';
import type { User } from '../market.js';
import type { Page, Shown, View } from '../page.js';
import { WALLET_COMMANDS, walletSigner } from '../wallet.js';
import { isAdmin } from './administration.js';

/** Signing in with a key that stays in this page, and what the account is. */

function chainOf({ chain }: Page): Chain {
  if (chain === undefined) throw new Error('The operator of this market has named no node to look accounts up');
  return chain;
}

/** The account of the key; where it acts for several, whoever signs in chooses. */
async function enter(page: Page, key: PrivateKey, choice: HTMLElement): Promise<string | undefined> {
  const accounts = await chainOf(page).accountsOf(key);
  const signer = keySigner(key);
  const [only] = accounts;
  if (only === undefined) throw new Error('This key acts for no account of this chain');
  if (accounts.length === 1) {
    signedIn(page, { ...only, signer, key });
    return undefined;
  }
  const chosen = select(
    {},
    accounts.map(({ account, name }) => [account, `${name} (${account})`] as const),
  );
  const take = async (): Promise<undefined> => {
    const one = accounts.find(({ account }) => account === chosen.value);
    if (one !== undefined) signedIn(page, { ...one, signer, key });
  };
  choice.replaceChildren(form('Sign in as this one', take, field('The key acts for several accounts', chosen)));
  chosen.focus();
  return 'Choose an account below';
}

function signedIn(page: Page, user: User): void {
  page.enter(user);
  say(`Signed in as ${user.name}`);
  void page.again();
}

function signInForms(page: Page): readonly HTMLElement[] {
  const choice = h('div', {});
  const wif = h('input', { type: 'password', autocomplete: 'off', spellcheck: 'false', required: true });
  const byKey = async (): Promise<string | undefined> => {
    const text = wif.value.trim();
    wif.value = '';
    return enter(page, PrivateKey.fromWif(text), choice);
  };
  const file = h('input', { type: 'file', accept: '.json,application/json', required: true });
  const password = h('input', { type: 'password', autocomplete: 'current-password', required: true });
  const byFile = async (): Promise<string | undefined> => {
    const text = await file.files?.[0]?.text();
    const given = password.value;
    password.value = '';
    return enter(page, await openKey(text ?? '', given), choice);
  };
  return [
    h(
      'section',
      { class: 'card' },
      h('h2', {}, 'With a key file'),
      canSealKeys()
        ? form('Open and sign in', byFile, field('Key file', file), field('Its password', password))
        : problem(NO_CIPHERS),
    ),
    h(
      'section',
      { class: 'card' },
      h('h2', {}, 'With an active key'),
      form(
        'Sign in',
        byKey,
        field('Private key (WIF)', wif, {
          hint: 'It stays in the memory of this page until you close, reload or leave it, and is sent nowhere.',
        }),
      ),
    ),
    ...walletPart(page),
    ...(page.settings.gateway === null
      ? []
      : [h('p', {}, 'No account yet? ', link('#/register', 'Register one'), '.')]),
    choice,
  ];
}

function walletPart(page: Page): readonly HTMLElement[] {
  const { wallet: url, node, keyPrefix } = page.settings;
  if (url === null || node === null) return [];
  const name = h('input', { required: true, autocomplete: 'username', spellcheck: 'false' });
  const user = h('input', { autocomplete: 'off', spellcheck: 'false' });
  const password = h('input', { type: 'password', autocomplete: 'off' });
  const run = async (): Promise<undefined> => {
    const found = await chainOf(page).find(name.value.trim());
    if (found === undefined) throw new Error(`There is no account ${name.value} that one key acts for`);
    const { key, ...account } = found;
    const access = { url, user: user.value, password: password.value, keyPrefix };
    const signer = walletSigner(access, account.account, key);
    // Whoever cannot sign learns it now, and not with the first purchase.
    await signer.signText(`${account.account}|sign in|${page.market.now()}`);
    password.value = '';
    signedIn(page, { ...account, signer, key: undefined });
  };
  const allowed = WALLET_COMMANDS.map((one) => `--allow ${one}`).join(' ');
  const command = `trustnode wallet -w wallet.json -s ${node.replace(/^http/, 'ws')} -H ${new URL(url).host} --origin ${location.origin} ${allowed}`;
  return [
    h(
      'section',
      { class: 'card' },
      h('h2', {}, 'With your wallet'),
      h(
        'p',
        {},
        'The wallet on this machine keeps the key, and signs what this page asks for while it is unlocked. Start it with',
      ),
      h('pre', { tabindex: '0' }, command),
      h('p', {}, 'and unlock it there; a new one wants set_password and import_key first.'),
      form(
        'Sign in with the wallet',
        run,
        field('Name of the account', name),
        field('User', user, { hint: 'Where the wallet asks for one (http-user).' }),
        field('Password of that user', password),
      ),
    ),
  ];
}

function keyFilePart(user: User, key: PrivateKey): HTMLElement {
  if (!canSealKeys()) return problem(NO_CIPHERS);
  const password = h('input', { type: 'password', autocomplete: 'new-password', required: true });
  const again = h('input', { type: 'password', autocomplete: 'new-password', required: true });
  const save = async (): Promise<string> => {
    checkPassword(password.value, again.value);
    download(`${user.name}.key.json`, 'application/json', await sealKey({ ...user, key }, password.value));
    password.value = again.value = '';
    return 'The file is among your downloads. Nobody can open it without its password, and nobody can tell you the password.';
  };
  return form('Save as a file', save, field('Password', password), field('Once more', again));
}

async function ownAccount(page: Page, user: User): Promise<Shown> {
  const { settings, chain } = page;
  const [balance, isRuler] = await Promise.all([chain?.balance(user.account), isAdmin(page)]);
  const leave = (): void => {
    page.enter(undefined);
    say('Signed out');
    void page.again();
  };
  return {
    title: 'Account',
    body: [
      h(
        'section',
        { class: 'card' },
        facts(
          ['Name', user.name],
          ['Account', h('code', {}, user.account)],
          ['Balance', balance === undefined ? 'not known' : amountText(balance, settings)],
          ['Public key', h('code', {}, publicKeyToText(user.signer.publicKey, settings.keyPrefix))],
        ),
        h(
          'div',
          { class: 'actions' },
          h('button', { type: 'button', class: 'plain', onclick: () => page.again() }, 'Refresh'),
          h('button', { type: 'button', class: 'plain', onclick: leave }, 'Sign out'),
        ),
      ),
      ...(isRuler ? [h('p', {}, link('#/administration', 'Administration of this market'))] : []),
      ...(user.key === undefined
        ? [h('p', {}, 'Your wallet has the key, and signs for this page.')]
        : [h('section', { class: 'card' }, h('h2', {}, 'Keep the key in a file'), keyFilePart(user, user.key))]),
    ],
  };
}

export const accountView: View = async (page) => {
  if (page.user !== undefined) return ownAccount(page, page.user);
  return { title: 'Sign in', body: signInForms(page) };
};
