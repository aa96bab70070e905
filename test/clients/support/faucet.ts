import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Signer } from './signer.js';

interface Wanted {
  readonly account: {
    readonly name: string;
    readonly active_key: string;
    readonly owner_key?: string;
    readonly memo_key?: string;
  };
}

export interface Faucet {
  readonly url: string;
  close(): void;
}

const authorityOf = (key: string) => ({
  weight_threshold: 1,
  account_auths: [],
  key_auths: [[key, 1]],
  address_auths: [],
});

/** What the client's `register` talks to: makes the account that it is asked for, and gives it some money. */
export async function startFaucet(signer: Signer, registrar: string, gift: number): Promise<Faucet> {
  const register = async ({ account }: Wanted): Promise<object> => {
    const { name, active_key, owner_key = active_key, memo_key = active_key } = account;
    const { created } = await signer.send('account_create', {
      registrar,
      referrer: registrar,
      name,
      owner: authorityOf(owner_key),
      active: authorityOf(active_key),
      options: { memo_key, voting_account: '1.2.5', num_witness: 0, num_committee: 0, votes: [], extensions: [] },
    });
    if (created === undefined) throw new Error('no account was created');
    await signer.send('transfer', { from: registrar, to: created, amount: { amount: gift, asset_id: '1.3.1' } });
    return { account: { id: created, name } };
  };
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', async () => {
      const answer = (status: number, body: object): void => {
        response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
      };
      if (request.method !== 'POST' || request.url !== '/account/register') return answer(404, {});
      try {
        answer(200, await register(JSON.parse(Buffer.concat(parts).toString()) as Wanted));
      } catch (error) {
        answer(400, { message: String(error) });
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}
