import { h, svg, table } from '../../page/dom.js';
import { group } from '../names.js';
import type { Page, View } from '../page.js';
import { quiet, section } from '../parts.js';

/** Peers, bans and how far the node has come with catching up; looked at again and again, also while no block comes. */

interface Status {
  readonly connection_count: number;
  readonly banned_count: number;
  readonly blocks_behind: number;
  readonly blocks_per_second: number;
  readonly transactions_per_second: number;
  readonly seconds_left?: number;
  readonly bans: readonly { readonly address: string; readonly reason: string; readonly until: string }[];
}

interface Peer {
  readonly host: string;
  readonly info: {
    readonly subver: string;
    readonly inbound: boolean;
    readonly current_head_block_number: number;
    readonly banscore: string;
  };
}

const LOOK_MS = 5000;
/** Blocks that a node is behind for a moment although it follows. */
const NEAR_BLOCKS = 20;
const RING = 105;
/** Around a peer, and below the node itself with its number: there is no more picture than that. */
const PEER_ROOM = 15;
const OWN_ROOM = 40;
const PICTURED_MAX = 60;

function durationText(seconds: number): string {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  if (hours > 0) return `${hours} h ${minutes} min`;
  return minutes > 0 ? `${minutes} min ${seconds % 60} s` : `${seconds} s`;
}

const counted = (count: number, word: string): string => `${group(count)} ${word}${count === 1 ? '' : 's'}`;

function syncText(status: Status): string {
  const { connection_count: peers, banned_count: banned, blocks_behind: behind } = status;
  const others = `${counted(peers, 'peer')}, ${banned === 1 ? '1 address' : `${group(banned)} addresses`} banned`;
  if (behind <= NEAR_BLOCKS) return `${peers === 0 ? 'Nobody to follow' : 'Level with the network'}: ${others}`;
  const left = status.seconds_left === undefined ? 'unknown time' : durationText(status.seconds_left);
  const pace = `${counted(status.blocks_per_second, 'block')}/s, ${group(status.transactions_per_second)} transactions/s`;
  return `Catching up: ${counted(behind, 'block')} to go, ${pace}, ${left} left; ${others}`;
}

const HOW_TO = 'Peers are shown where enable-network-node-api is set and rpc-origin names this page.';

/** This node in the middle, its peers around it, those behind in red. */
function picture(page: Page, peers: readonly Peer[]): SVGElement {
  const own = page.head.head_block_number;
  const shown = peers.slice(0, PICTURED_MAX);
  let lowest = OWN_ROOM;
  const parts = shown.flatMap(({ host, info }, i) => {
    const angle = (2 * Math.PI * i) / shown.length;
    const [x, y] = [RING * Math.sin(angle), -RING * Math.cos(angle)].map((one) => one.toFixed(1));
    lowest = Math.max(lowest, Number(y) + PEER_ROOM);
    const isBehind = info.current_head_block_number + NEAR_BLOCKS < own;
    const words = `${host}: head ${group(info.current_head_block_number)}`;
    return [
      svg('line', { x1: 0, y1: 0, x2: x, y2: y }),
      svg('circle', { cx: x, cy: y, r: 9, class: isBehind ? 'bad' : 'bar' }, svg('title', {}, words)),
    ];
  });
  const behind = peers.filter(({ info }) => info.current_head_block_number + NEAR_BLOCKS < own).length;
  const label = `This node and ${counted(peers.length, 'peer')}, ${behind} of them behind it`;
  return svg(
    'svg',
    {
      class: 'picture',
      viewBox: `-130 ${-RING - PEER_ROOM} 260 ${RING + PEER_ROOM + lowest}`,
      role: 'img',
      'aria-label': label,
    },
    ...parts,
    svg('circle', { cx: 0, cy: 0, r: 14, class: 'own' }),
    svg('text', { x: 0, y: 32 }, group(own)),
  );
}

function peerTable(page: Page, peers: readonly Peer[] | undefined): HTMLElement {
  // For the operator alone: with whom a node is connected helps whoever wants to cut it off.
  if (peers === undefined) return quiet(HOW_TO);
  if (peers.length === 0) return quiet('It is connected with nobody.');
  const own = page.head.head_block_number;
  return table(
    'Peers',
    [
      { name: 'Peer', cell: ({ host }: Peer) => h('span', { class: 'mono' }, host) },
      { name: 'Program', cell: ({ info }) => info.subver },
      { name: 'Direction', cell: ({ info }) => (info.inbound ? 'from there' : 'from here') },
      {
        name: 'Head',
        isNumber: true,
        cell: ({ info: { current_head_block_number: head } }) =>
          h('span', { class: head + NEAR_BLOCKS < own ? 'bad' : undefined }, group(head)),
      },
      { name: 'Score', isNumber: true, cell: ({ info }) => (info.banscore === '' ? '0' : info.banscore) },
    ],
    peers,
  );
}

function banTable(bans: Status['bans']): HTMLElement {
  return table(
    'Addresses that it takes nothing from',
    [
      { name: 'Address', cell: ({ address }: Status['bans'][number]) => h('span', { class: 'mono' }, address) },
      { name: 'Reason', cell: ({ reason }) => reason.replaceAll('_', ' ') },
      { name: 'Until', cell: ({ until }) => `${until.replace('T', ' ')} UTC` },
    ],
    bans,
  );
}

/** `#/peers` */
export const peersView: View = async (page, _words, left) => {
  const sync = h('p', { id: 'sync', class: 'lead', role: 'status' });
  const peerRoom = h('div', { id: 'peers' });
  const banRoom = h('div', { id: 'bans' });
  const look = async (): Promise<void> => {
    const status = await page.node.call<Status | null>('get_network_status');
    if (status === null) {
      sync.textContent = 'This node has no network: it makes its blocks alone.';
      return;
    }
    const peers = await page.node.tryCall<Peer[]>('call', 'network_node', 'get_connected_peers', []);
    if (left.aborted) return;
    const text = syncText(status);
    // Screen readers say it once.
    if (sync.textContent !== text) sync.textContent = text;
    const drawn = peers === undefined || peers.length === 0 ? [] : [picture(page, peers)];
    peerRoom.replaceChildren(...drawn, peerTable(page, peers));
    banRoom.replaceChildren(...(status.bans.length === 0 ? [] : [section('Bans', banTable(status.bans))]));
  };
  await look();
  const timer = setInterval(() => void look().catch(() => undefined), LOOK_MS);
  left.addEventListener('abort', () => clearInterval(timer));
  return { title: 'Network', body: [section('Peers', sync, peerRoom), banRoom] };
};
