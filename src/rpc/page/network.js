import { $, element, group, setText } from './show.js';

/** Blocks that a node is behind for a moment although it follows. */
const NEAR_BLOCKS = 20;

function durationText(seconds) {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  if (hours > 0) return `${hours} h ${minutes} min`;
  return minutes > 0 ? `${minutes} min ${seconds % 60} s` : `${seconds} s`;
}

const counted = (count, word) => `${group(count)} ${word}${count === 1 ? '' : 's'}`;

export function syncText(status) {
  const { connection_count: peers, banned_count: banned, blocks_behind: behind } = status;
  const others = `${counted(peers, 'peer')}, ${banned === 1 ? '1 address' : `${group(banned)} addresses`} banned`;
  if (behind <= NEAR_BLOCKS) return `${peers === 0 ? 'Nobody to follow' : 'Level with the network'}: ${others}`;
  const left = status.seconds_left === undefined ? 'unknown time' : durationText(status.seconds_left);
  const pace = `${counted(status.blocks_per_second, 'block')}/s, ${group(status.transactions_per_second)} transactions/s`;
  return `Catching up: ${counted(behind, 'block')} to go, ${pace}, ${left} left; ${others}`;
}

/** Peers, bans and how far the node has come with catching up. */
export class NetworkSection {
  #node;

  constructor(node) {
    this.#node = node;
  }

  async show() {
    const status = await this.#node.call('get_network_status');
    $('network').hidden = status === null;
    if (status === null) return;
    setText('sync', syncText(status));
    fill(
      'bans',
      status.bans.map(({ address, reason, until }) => [
        address,
        reason.replaceAll('_', ' '),
        `${until.replace('T', ' ')} UTC`,
      ]),
    );
    // For the operator alone: with whom a node is connected helps whoever wants to cut it off.
    const { result: peers } = await this.#node.ask('call', ['network_node', 'get_connected_peers', []]);
    $('peers-closed').hidden = peers !== undefined;
    if (peers === undefined) return;
    fill(
      'peers',
      peers.map(({ host, info }) => [
        host,
        info.subver,
        info.inbound ? 'from there' : 'from here',
        group(info.current_head_block_number),
        info.banscore === '' ? '0' : info.banscore,
      ]),
    );
  }
}

function fill(id, rows) {
  $(id).hidden = rows.length === 0;
  $(id).tBodies[0].replaceChildren(
    ...rows.map((cells) => element('tr', {}, ...cells.map((cell) => element('td', {}, cell)))),
  );
}
