import { Console } from './console.js';
import { Decoder } from './decode.js';
import { NetworkSection } from './network.js';
import { Node } from './rpc.js';
import { link, Search } from './search.js';
import { $, drawRing, drawSlots, element, group, setText } from './show.js';

const ROWS_MAX = 30;
/** Blocks that are shown when the page opens. */
const BLOCKS_FIRST = 20;
const NETWORK_LOOK_MS = 5000;

const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
const node = new Node(`${scheme}://${location.host}/`, showConnection, () => void start().catch(report));
const decoder = new Decoder(node);
const search = new Search(node, decoder);
const consoleForm = new Console(node);
const network = new NetworkSection(node);

const seen = { head: 0, time: 0, interval: 3, shown: 0, missed: new Map(), names: new Map(), made: new Map() };

function showConnection(state) {
  const pill = $('connection');
  pill.className = `pill ${state}`;
  pill.textContent = state === 'on' ? 'live' : 'no connection, trying again';
}

function report(error) {
  console.error(error);
}

async function start() {
  const [chainId, globals, names, document] = await Promise.all([
    node.call('get_chain_id'),
    node.call('get_global_properties'),
    node.call('lookup_witness_accounts', '', 1000),
    node.call('rpc.discover'),
  ]);
  setText('chain-id', `chain ${chainId}`);
  seen.interval = globals.parameters.block_interval;
  seen.names = new Map(names.map(([name, id]) => [id, name]));
  decoder.learn(document);
  consoleForm.learn(document);
  // First the subscription, then the look: no block can slip in between.
  await node.call('set_block_applied_callback', node.listen(() => void refresh().catch(report)));
  await refresh();
  await network.show();
  search.follow();
}

let refreshing = false;
let again = false;

/** Blocks may come faster than their pictures: what came meanwhile is shown together. */
async function refresh() {
  again = true;
  if (refreshing) return;
  refreshing = true;
  try {
    while (again) {
      again = false;
      await showHead();
    }
  } finally {
    refreshing = false;
  }
}

async function showHead() {
  const [head, participation, accounts, [schedule]] = await Promise.all([
    node.call('get_dynamic_global_properties'),
    node.call('get_witness_participation_rate'),
    node.call('get_account_count'),
    node.call('get_objects', ['2.12.0']),
  ]);
  seen.head = head.head_block_number;
  seen.time = Date.parse(`${head.time}Z`);
  setText('head', group(head.head_block_number));
  setText('irreversible', group(head.last_irreversible_block_num));
  const behind = head.head_block_number - head.last_irreversible_block_num;
  setText('behind', `${behind} block${behind === 1 ? '' : 's'}`);
  setText('producer', seen.names.get(head.current_witness) ?? head.current_witness);
  setText('participation', `${(participation / 100).toFixed(1)} %`);
  setText('maintenance', `${head.next_maintenance_time.replace('T', ' ')} UTC`);
  setText('accounts', group(accounts));
  const list = schedule?.current_shuffled_witnesses ?? [];
  const share = Math.max(0, 100 - (100 * behind) / Math.max(1, 2 * list.length));
  $('bar-fill').style.width = `${share}%`;
  drawSlots($('slots'), head.recent_slots_filled);
  await showWitnesses(head, list);
  await showBlocks(head.head_block_number);
  showAge();
}

async function showWitnesses(head, list) {
  if (list.length === 0) return;
  const witnesses = (await node.call('get_witnesses', [...new Set(list)])).filter(Boolean);
  const place = Number(BigInt(head.current_aslot) % BigInt(list.length));
  const byId = new Map(witnesses.map((witness) => [witness.id, witness]));
  const slots = list.map((id, i) => {
    const witness = byId.get(id);
    const before = seen.missed.get(id);
    const missed = Number(witness?.total_missed ?? 0);
    if (before !== undefined && missed > before) seen.made.set(id, 'bad');
    else if (id === head.current_witness) seen.made.set(id, 'good');
    seen.missed.set(id, missed);
    const state = i === place ? 'now' : (seen.made.get(id) ?? 'idle');
    return { name: seen.names.get(id) ?? id, state };
  });
  drawRing($('ring'), slots, head.head_block_number);
  const rows = witnesses
    .sort((a, b) => Number(b.total_missed) - Number(a.total_missed))
    .map((witness) =>
      element(
        'tr',
        {},
        element('td', {}, link(witness.witness_account, seen.names.get(witness.id) ?? witness.id)),
        element('td', { class: 'number' }, group(witness.last_confirmed_block_num)),
        element('td', { class: 'number' }, group(witness.total_missed)),
      ),
    );
  $('witnesses').tBodies[0].replaceChildren(...rows);
}

async function showBlocks(head) {
  // After a fork switch the head may be lower than what was shown.
  const from = seen.shown === 0 || seen.shown > head ? Math.max(1, head - BLOCKS_FIRST) : seen.shown + 1;
  const body = $('transactions').tBodies[0];
  for (let number = Math.max(from, head - BLOCKS_FIRST); number <= head; number++) {
    const block = await node.call('get_block', number);
    seen.shown = number;
    if (!block) continue;
    // A full block has thousands: the newest few are enough to look at.
    const newest = block.transactions.slice(-ROWS_MAX);
    await decoder.prepare(newest.map(({ operations }) => operations));
    const offset = block.transactions.length - newest.length;
    newest.forEach((transaction, i) => body.prepend(transactionRow(block, number, offset + i, transaction)));
    while (body.rows.length > ROWS_MAX) body.deleteRow(-1);
  }
  $('no-transactions').hidden = body.rows.length > 0;
}

function transactionRow(block, number, i, { operations }) {
  const id = block.transaction_ids[i];
  const lines = operations.map((operation) =>
    element('div', {}, element('strong', {}, decoder.name(operation[0]).replaceAll('_', ' ')), ` ${decoder.sentence(operation)}`),
  );
  return element(
    'tr',
    {},
    element('td', {}, link(String(number))),
    element('td', { class: 'mono' }, link(id, `${id.slice(0, 8)}…`)),
    element('td', {}, ...lines),
  );
}

function showAge() {
  if (seen.time === 0) return;
  const age = Math.max(0, Math.round((Date.now() - seen.time) / 1000));
  setText('age', age < 4 * seen.interval ? `${age} s ago` : `${age} s ago, the chain stands still`);
}

/** Also while no block comes: that is when somebody looks. */
function showNetwork() {
  if ($('connection').classList.contains('on')) network.show().catch(report);
}

setInterval(showAge, 1000);
setInterval(showNetwork, NETWORK_LOOK_MS);
