import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { uwsTransport } from '../../src/http/uws-server.js';
import { OPERATIONS } from '../../src/operations/index.js';
import { APIS } from '../../src/rpc/apis/index.js';
import { tellLostWork } from '../runner/lost-work.js';
import { STACK_SIZE } from '../runner/stack-size.js';
import { YOUNG_SPACE } from '../runner/young-space.js';
import { endWithUs, exitOnSignals, keepTemporaryFoldersTogether } from '../support/ends-with-us.js';
import { partOf } from '../support/part-of-run.js';
import { Campaign } from './campaign.js';
import { PeersCampaign } from './peers/campaign.js';
import type { TransportName } from './target.js';

/**
 * `npm run hostile -- --minutes 10 --seed 7 --transport uws|node-http|both`: a live node, attacked in every way at once;
 * see campaign.ts. `--part watchdog`: the costliest arguments for every method and the fullest lists for every
 * operation, larger and with lower ceilings than a test run, `--share 2/6` the second sixth of them, `--only
 * transfer,get_block` those of these names; `--part peers`: bad peers on the port for other nodes, until
 * the minutes are over or `--inputs` frames and handshakes were sent; `--part all`: all of it.
 */

const PARTS = ['live', 'peers', 'watchdog', 'all'];
const TRANSPORTS = ['uws', 'node-http', 'both'];
const WATCHDOG_FILES = ['../rpc/hostile.test.js', '../chain/hostile-blocks.test.js'];
const WARM_SECONDS = 20;
const EXIT_FAILED = 1;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '2' },
    seed: { type: 'string' },
    transport: { type: 'string', default: 'both' },
    part: { type: 'string', default: 'live' },
    inputs: { type: 'string', default: '1000000' },
    share: { type: 'string', default: '1/1' },
    only: { type: 'string' },
  },
});
const minutes = Number(values.minutes);
const seed = Number(values.seed ?? Date.now() % 1_000_000_000);
const { transport, part, share, only } = values;
partOf(share);
const known = new Set([...APIS.flatMap(({ methods }) => Object.keys(methods)), ...OPERATIONS.map(({ name }) => name)]);
const unknown = (only?.split(',') ?? []).filter((name) => !known.has(name));
if (unknown.length > 0) throw new Error(`--only: no method and no operation is called ${unknown.join(', ')}`);
if (!(minutes > 0) || !Number.isInteger(seed)) throw new Error('--minutes takes a number above 0, --seed a whole one');
if (!TRANSPORTS.includes(transport)) throw new Error(`--transport takes one of ${TRANSPORTS.join(', ')}`);
if (!PARTS.includes(part)) throw new Error(`--part takes one of ${PARTS.join(', ')}`);

const say = (line: string): void => void process.stdout.write(`${line}\n`);

async function live(name: TransportName): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'trustnode-hostile-'));
  try {
    say(`== ${name}: ${minutes} minutes, seed ${seed}`);
    const options = { folder, transport: name, seed, seconds: minutes * 60, warmSeconds: WARM_SECONDS, say };
    const { problems, lines } = await new Campaign(options).run();
    for (const line of lines) say(line);
    for (const problem of problems) say(`PROBLEM ${problem}`);
    say(`${name}: ${problems.length === 0 ? 'withstood' : `${problems.length} problems`}, seed ${seed}`);
    if (problems.length > 0) say(`again: npm run hostile -- --minutes ${minutes} --seed ${seed} --transport ${name}`);
    return problems.length === 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function watchdog(file: string): Promise<boolean> {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const which = { TRUSTNODE_HOSTILE_PART: share, ...(only === undefined ? {} : { TRUSTNODE_HOSTILE_ONLY: only }) };
  const env = { ...process.env, ...which, TRUSTNODE_HOSTILE: '1', TAP_TIMEOUT: '36000' };
  return new Promise((resolve) => {
    // As `npm start` runs the node.
    const child = spawn(process.execPath, [STACK_SIZE, YOUNG_SPACE, path], { stdio: 'inherit', env });
    endWithUs(child);
    child.on('exit', (code) => resolve(code === 0)).on('error', () => resolve(false));
  });
}

async function peers(): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'trustnode-hostile-'));
  try {
    const inputsMax = Number(values.inputs);
    say(`== peers: ${minutes} minutes or ${inputsMax} inputs, seed ${seed}`);
    const options = { folder, seed, seconds: minutes * 60, warmSeconds: WARM_SECONDS, inputsMax, say };
    const { problems, lines } = await new PeersCampaign(options).run();
    for (const line of lines) say(line);
    for (const problem of problems) say(`PROBLEM ${problem}`);
    say(`peers: ${problems.length === 0 ? 'withstood' : `${problems.length} problems`}, seed ${seed}`);
    return problems.length === 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

exitOnSignals();
tellLostWork();
keepTemporaryFoldersTogether();
let isGood = true;
if (part === 'live' || part === 'all') {
  for (const name of ['uws', 'node-http'] as const) {
    if (transport !== 'both' && transport !== name) continue;
    if (name === 'uws' && uwsTransport() === undefined) {
      say('the native server does not load here');
      if (transport === 'uws') isGood = false;
    } else if (!(await live(name))) isGood = false;
  }
}
if ((part === 'peers' || part === 'all') && !(await peers())) isGood = false;
if (part === 'watchdog' || part === 'all')
  for (const file of WATCHDOG_FILES) if (!(await watchdog(file))) isGood = false;
if (!isGood) process.exitCode = EXIT_FAILED;
