import t from 'tap';
import type { Json } from '../../src/codec/json.js';
import { anyCaller } from '../../src/http/caller.js';
import type { OpenSocket } from '../../src/http/handler.js';
import { signedTransaction } from '../../src/protocol/transaction.js';
import { RpcSocketSession } from '../../src/rpc/sessions/socket-session.js';
import { eventually } from '../support/eventually.js';
import { NETWORK } from '../support/network.js';
import { FakeChain } from './support/fake-chain.js';
import { askable, goldenPorts } from './support/golden-rpc.js';
import { transactionsOf } from './support/recorded-transactions.js';

const base = goldenPorts();
const transactions = [791, 792, 793, 794, 795, 796].flatMap((number) => transactionsOf(base.chain, number)).slice(0, 4);

const PLACES = 3;

t.test(
  'so many requests of one WebSocket wait at once; a place is free again as soon as one is answered',
  async (t) => {
    const chain = new FakeChain(base);
    const { rpc } = askable(chain.ports);
    const answers: { id: Json; result?: Json; error?: { message: string } }[] = [];
    const socket: OpenSocket = {
      send: (text) => answers.push(JSON.parse(text)) > 0,
      together: (work) => work(),
    };
    const parts = { rpc, limits: { waiting_per_connection_max: PLACES }, mayAsk: () => true };
    const session = new RpcSocketSession(parts, socket, anyCaller('10.1.1.1'), undefined);
    const wait = (id: number): void => {
      const params = [
        2,
        'broadcast_transaction_synchronous',
        [signedTransaction.toJson(transactions[id] as never, NETWORK)],
      ];
      session.message(JSON.stringify({ id, method: 'call', params }));
    };
    t.equal(transactions.length, PLACES + 1);
    for (let id = 0; id < PLACES; id++) wait(id);
    await eventually('all of them wait', () => rpc.dispatcher.waiting === PLACES);
    t.same(answers, [], 'none is refused');
    wait(PLACES);
    t.match(answers.shift()?.error?.message, `has ${PLACES} requests under way`);
    t.equal(chain.pushed.length, PLACES, 'what was refused was not done');
    chain.applied(900, [], [transactions[1] as never]);
    await eventually('one is answered', () => answers.length === 1);
    t.equal(answers.shift()?.id, 1);
    wait(PLACES);
    await eventually('the last one has its place', () => chain.pushed.length === PLACES + 1);
    chain.applied(901, [], transactions.filter((_, i) => i !== 1) as never);
    await eventually('all are answered', () => answers.length === PLACES);
    t.same(answers.map(({ id }) => id).sort(), [0, 2, 3]);
    session.close();
    rpc.close();
  },
);
