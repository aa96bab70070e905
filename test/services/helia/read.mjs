// Reads files from a gateway with an IPFS client of others, which checks every block, and prints a hash of each. Runs on
// the Node that is installed beside it; its arguments are the gateway and the ids.
import { createHash } from 'node:crypto';
import { trustlessGateway } from '@helia/block-brokers';
import { createHeliaHTTP } from '@helia/http';
import { httpGatewayRouting } from '@helia/routers';
import { unixfs } from '@helia/unixfs';
import { CID } from 'multiformats/cid';

const [gateway, ...ids] = process.argv.slice(2);
const helia = await createHeliaHTTP({
  blockBrokers: [trustlessGateway({ allowLocal: true, allowInsecure: true })],
  routers: [httpGatewayRouting({ gateways: [gateway] })],
});
const files = unixfs(helia);
for (const id of ids) {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const piece of files.cat(CID.parse(id), { signal: AbortSignal.timeout(120_000) })) {
    hash.update(piece);
    bytes += piece.length;
  }
  console.log(`${id} ${bytes} ${hash.digest('hex')}`);
}
await helia.stop();
