import { $, element } from './show.js';

/** Finds what a person pasted: a block number or id, a transaction id, an object id, an account name. */
export class Search {
  #node;
  #decoder;

  constructor(node, decoder) {
    this.#node = node;
    this.#decoder = decoder;
    $('search').addEventListener('submit', (event) => {
      event.preventDefault();
      void this.show($('query').value.trim());
    });
    addEventListener('hashchange', () => this.follow());
  }

  /** The address keeps what was looked for, so that it can be passed on. */
  follow() {
    const wanted = decodeURIComponent(location.hash.slice(1));
    if (wanted === '') return;
    $('query').value = wanted;
    void this.show(wanted);
  }

  async show(text) {
    if (text === '') return;
    const title = $('found-title');
    const body = $('found-body');
    $('found').hidden = false;
    title.textContent = `Looking for ${text}`;
    body.replaceChildren();
    try {
      const found = await this.#find(text);
      if (found === undefined) title.textContent = `Nothing found for ${text}`;
      else {
        title.textContent = found.title;
        body.replaceChildren(...found.parts);
      }
      if (decodeURIComponent(location.hash.slice(1)) !== text) history.replaceState(null, '', `#${encodeURIComponent(text)}`);
    } catch (error) {
      title.textContent = error.message;
    }
    $('found').scrollIntoView({ block: 'nearest' });
  }

  async #find(text) {
    if (/^\d{1,10}$/.test(text)) return this.#block(await this.#node.call('get_block', Number(text)), Number(text));
    if (/^[0-9a-f]{40}$/i.test(text)) return this.#byHash(text.toLowerCase());
    if (/^\d+\.\d+\.\d+$/.test(text)) {
      const [object] = await this.#node.call('get_objects', [text]);
      if (!object) return undefined;
      return text.startsWith('1.2.') ? this.#account(object) : { title: `Object ${text}`, parts: [json(object, true)] };
    }
    const account = await this.#node.call('get_account_by_name', text);
    return account ? this.#account(account) : undefined;
  }

  async #byHash(id) {
    const block = await this.#node.call('get_block_by_id', id);
    if (block) return this.#block(block, Number.parseInt(id.slice(0, 8), 16));
    const place = await this.#node.call('get_transaction_confirmation', id);
    if (place) {
      const state = place.irreversible ? 'irreversible' : 'not yet irreversible';
      await this.#decoder.prepare(place.transaction.operations);
      const where = element('p', {}, 'In block ', link(String(place.block_num)), `, position ${place.trx_in_block}, ${state}`);
      return { title: `Transaction ${id}`, parts: [where, this.#operations(place.transaction), json(place.transaction)] };
    }
    const pending = await this.#node.call('get_recent_transaction_by_id', id);
    if (!pending) return undefined;
    await this.#decoder.prepare(pending.operations);
    return {
      title: `Transaction ${id}`,
      parts: [element('p', {}, 'Accepted; this node has not seen it in a block yet, or its block is older than its memory.'), this.#operations(pending), json(pending)],
    };
  }

  async #block(block, number) {
    if (!block) return undefined;
    await this.#decoder.prepare(block.transactions.map(({ operations }) => operations));
    const rows = block.transactions.slice(0, 200).map((transaction, i) =>
      element('li', {}, link(block.transaction_ids[i], `${block.transaction_ids[i].slice(0, 12)}…`), ' ', this.#operations(transaction)),
    );
    const facts = element('p', {}, `${block.timestamp} UTC by ${block.witness}, ${block.transactions.length} transactions. `);
    if (number > 1) facts.append(link(String(number - 1), 'previous'), ' ');
    facts.append(link(String(number + 1), 'next'));
    return { title: `Block ${number}`, parts: [facts, element('p', { class: 'mono' }, block.block_id), element('ul', {}, ...rows)] };
  }

  async #account(account) {
    const [[, full] = []] = await this.#node.call('get_full_accounts', [account.name], false);
    await this.#decoder.prepare([full?.balances.map(({ asset_type: id }) => id), account.registrar]);
    const balances = (full?.balances ?? []).map(({ balance, asset_type: id }) =>
      element('li', {}, this.#decoder.amount({ amount: balance, asset_id: id })),
    );
    const facts = element('p', {}, `${account.id}, registered by ${this.#decoder.id(account.registrar)}`);
    if (account.code) facts.append(`, a contract with ${account.abi.actions.length} actions`);
    return { title: `Account ${account.name}`, parts: [facts, element('ul', {}, ...balances), json(account)] };
  }

  #operations({ operations }) {
    const lines = operations.map((operation) => `${this.#decoder.name(operation[0])}: ${this.#decoder.sentence(operation)}`);
    return element('span', {}, lines.join('; '));
  }
}

export function link(wanted, text = wanted) {
  return element('a', { href: `#${encodeURIComponent(wanted)}` }, text);
}

function json(value, open = false) {
  const text = JSON.stringify(value, null, 2);
  const shown = text.length > 100_000 ? `${text.slice(0, 100_000)}\n…` : text;
  const details = element('details', {}, element('summary', {}, 'as JSON'), element('pre', { class: 'mono' }, shown));
  if (open) details.setAttribute('open', '');
  return details;
}
