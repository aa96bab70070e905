// Makes keys, has an account registered for them and uses it: node docs/examples/register.mjs
import { randomBytes } from 'node:crypto';
import { openClient, PrivateKey } from 'trustnode/client';

const [, url = 'http://127.0.0.1:8090'] = process.argv.slice(2);
const key = PrivateKey.fromBytes(randomBytes(32));
const client = await openClient(url, { keys: [key] });
const [active_key] = client.keys.list();

const name = `newcomer-${Date.now()}`;
const response = await fetch(`${url}/account/register`, {
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({ account: { name, active_key } }),
});
const answer = await response.json();
if (!response.ok) throw new Error(answer.msg);
console.log(`${answer.account.name} is ${answer.account.id}; keep its key: ${key.toWif().length} characters`);
const { active } = await client.account(name);
console.log('it is ours:', active.key_auths[0][0] === active_key);
