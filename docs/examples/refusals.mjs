// Acts on a refusal by its key and shows people the sentence: node docs/examples/refusals.mjs
import { readFileSync } from 'node:fs';
import { openClient, RpcError } from 'trustnode/client';

const [dataDir = 'trustnode-dev-data', url = 'http://127.0.0.1:8090'] = process.argv.slice(2);
const accounts = JSON.parse(readFileSync(`${dataDir}/dev-accounts.json`, 'utf8'));
const { wif } = accounts.find((account) => account.name === 'carol');
const client = await openClient(url, { keys: [wif] });

async function payAtMost(...amounts) {
  for (const amount of amounts) {
    try {
      const { state } = await client.transfer({ from: 'carol', to: 'alice', amount });
      console.log(`${amount}: ${state}`);
      return;
    } catch (error) {
      // Anything else is not ours to put right.
      if (!(error instanceof RpcError) || error.key !== 'transfer_balance') throw error;
      console.log(`${amount}: ${error.key}, ${error.code} ${error.kind}: ${error.message}`);
    }
  }
}

await payAtMost('90000000000 GXC', '0.25 GXC');
