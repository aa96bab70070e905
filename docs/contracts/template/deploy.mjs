// Puts what was built on a development chain, in place of what it has under this name: node deploy.mjs [URL [ACCOUNT]]
// Ends with 2 where no node answers. Other chains are left alone: this is signed with a key that everybody knows.
import { readFileSync } from 'node:fs';
import { openClient, PrivateKey, RpcConnectionError } from 'trustnode/client';

const [url = 'http://127.0.0.1:8090', owner = 'alice'] = process.argv.slice(2);
const file = (name) => readFileSync(new URL(name, import.meta.url));
const files = { code: file('NAME.wasm').toString('hex'), abi: JSON.parse(file('NAME.abi')) };

async function deploy() {
  const client = await openClient(url, { keys: [PrivateKey.fromSeed(`trustnode dev ${owner}`)], timeoutMs: 10_000 });
  try {
    // Every other chain refuses to answer.
    const { producing } = await client.call('dev', 'dev_status', []);
    const account = await client.accountId(owner);
    const [found] = await client.call('database', 'lookup_account_names', [['NAME']]);
    const transaction =
      found === null
        ? client.transaction().add('contract_deploy', { name: 'NAME', account, vm_type: '0', vm_version: '0', ...files })
        : client.transaction().add('contract_update', { owner: account, contract: found.id, ...files });
    await transaction.send({ until: producing ? 'block' : 'sent' });
    if (!producing) await client.call('dev', 'dev_mine', []);
    console.log(`NAME is ${await client.accountId('NAME')} on ${url}`);
  } finally {
    client.close();
  }
}

try {
  await deploy();
} catch (error) {
  console.error(`NAME was not deployed on ${url}: ${error.message}`);
  process.exitCode = error instanceof RpcConnectionError ? 2 : 1;
}
