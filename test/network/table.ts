import type { LocalNetwork } from './local-network.js';
import type { NodeStatus } from './local-node.js';

/** One row for each node, as text for a terminal. */

export interface TableRow {
  readonly state: string;
  readonly status: NodeStatus | undefined;
}

const HEADINGS = ['', 'node', 'state', 'height', 'block', 'irreversible', 'peers', 'witnesses', 'rpc', 'p2p'];
const ID_CHARS = 12;
const NUMBERS = [3, 5, 6, 7];

export async function tableRows(network: LocalNetwork): Promise<TableRow[]> {
  return Promise.all(
    network.nodes.map(async (node) => {
      const status = await node.status();
      const cut = network.isCut(node.index) && node.state === 'up' ? ', cut off' : '';
      return { state: `${node.state}${cut}`, status };
    }),
  );
}

/** `selected`: the row that keys act on. */
export function tableText(network: LocalNetwork, rows: readonly TableRow[], selected?: number): string {
  const cells = network.nodes.map((node, i) => {
    const { state, status } = rows[i] ?? { state: '', status: undefined };
    return [
      i === selected ? '>' : '',
      String(i),
      state,
      status === undefined ? '-' : String(status.head),
      status === undefined ? '-' : status.headId.slice(-ID_CHARS),
      status === undefined ? '-' : String(status.irreversible),
      status === undefined ? '-' : String(status.peers),
      String(node.witnesses.length),
      node.rpc,
      node.peer,
    ];
  });
  const lines = [HEADINGS, ...cells];
  const widths = HEADINGS.map((_, column) => Math.max(...lines.map((line) => (line[column] as string).length)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => {
        const width = widths[column] as number;
        return NUMBERS.includes(column) ? cell.padStart(width) : cell.padEnd(width);
      })
      .join('  ')
      .trimEnd();
  return lines.map(line).join('\n');
}
