import type { SourceFile } from './layers.js';

/**
 * How the folders of the program lie above each other. A room is a folder with files of its own; a layer is one room
 * more on the longest way down to rooms that import nothing. Rooms that lead to each other in a circle share a layer,
 * and of the arrows between them those climb back that lead to a room whose files lie higher. A folder and those inside
 * it are one house: its own files are the contract below them and the list above them, which no arrow tells apart.
 */

export interface Arrow {
  readonly from: string;
  readonly to: string;
  /** Imports, each counted once. */
  readonly imports: number;
}

export interface Drawing {
  /** By room, 1 for those that import none. */
  readonly layers: ReadonlyMap<string, number>;
  readonly arrows: readonly Arrow[];
  readonly climbing: readonly Arrow[];
}

const IMPORT = /(?:\bfrom\s*|\bimport\s*\(?\s*)['"](\.[^'"]+)['"]/g;

const folderOf = (path: string): string => path.split('/').slice(0, -1).join('/');

/** `src/rpc/dispatch/compiled.ts`: the whole folder, or its first name. */
export type RoomOf = (path: string) => string;
export const ROOMS: RoomOf = (path) => folderOf(path).replace(/^src\//, '');
export const HOUSES: RoomOf = (path) => ROOMS(path).split('/')[0] ?? '';

function targetOf(path: string, target: string): string {
  const steps = folderOf(path).split('/');
  for (const step of target.split('/')) {
    if (step === '..') steps.pop();
    else if (step !== '.') steps.push(step);
  }
  return steps.join('/').replace(/\.js$/, '.ts');
}

function importsOf(files: readonly SourceFile[]): Map<string, string[]> {
  const known = new Set(files.map(({ path }) => path));
  return new Map(
    files.map(({ path, text }) => {
      const targets = [...text.matchAll(IMPORT)].map((match) => targetOf(path, match[1] as string));
      return [path, [...new Set(targets)].filter((target) => known.has(target))];
    }),
  );
}

/** The longest way down from each node, 1 where there is none; nodes of a circle count as one. */
function depths(graph: ReadonlyMap<string, readonly string[]>): {
  depth: Map<string, number>;
  circle: Map<string, string>;
} {
  const circle = circles(graph);
  const members = new Map<string, string[]>();
  for (const [node, name] of circle) members.set(name, [...(members.get(name) ?? []), node]);
  const known = new Map<string, number>();
  const depthOf = (name: string): number => {
    const found = known.get(name);
    if (found !== undefined) return found;
    const below = (members.get(name) ?? [])
      .flatMap((node) => graph.get(node) ?? [])
      .map((to) => circle.get(to) as string);
    const depth = 1 + Math.max(0, ...[...new Set(below)].filter((to) => to !== name).map(depthOf));
    known.set(name, depth);
    return depth;
  };
  return { depth: new Map([...circle].map(([node, name]) => [node, depthOf(name)])), circle };
}

/** Each node with the first name of the circle that it belongs to. */
function circles(graph: ReadonlyMap<string, readonly string[]>): Map<string, string> {
  const reach = new Map<string, Set<string>>();
  for (const node of graph.keys()) {
    const seen = new Set<string>();
    const waiting = [node];
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
      for (const to of graph.get(at) ?? []) if (!seen.has(to) && seen.add(to)) waiting.push(to);
    }
    reach.set(node, seen);
  }
  const nodes = [...graph.keys()].sort();
  const isMutual = (a: string, b: string): boolean =>
    a === b || (reach.get(a)?.has(b) === true && reach.get(b)?.has(a) === true);
  return new Map(nodes.map((node) => [node, nodes.find((other) => isMutual(node, other)) as string]));
}

const isOneHouse = (a: string, b: string): boolean => a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`);

const middle = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;

export function drawing(files: readonly SourceFile[], roomOf: RoomOf): Drawing {
  const imports = importsOf(files);
  const counts = new Map<string, Map<string, number>>();
  for (const [path, targets] of imports) {
    const from = roomOf(path);
    const row = counts.get(from) ?? new Map<string, number>();
    counts.set(from, row);
    for (const to of targets.map(roomOf)) if (!isOneHouse(from, to)) row.set(to, (row.get(to) ?? 0) + 1);
  }
  const rooms = new Map([...counts].map(([from, row]) => [from, [...row.keys()]]));
  const { depth: layers, circle } = depths(rooms);
  const { depth } = depths(imports);
  const height = new Map(
    [...rooms.keys()].map((room) => [
      room,
      middle([...imports.keys()].filter((path) => roomOf(path) === room).map((path) => depth.get(path) ?? 0)),
    ]),
  );
  const arrows = [...counts].flatMap(([from, row]) => [...row].map(([to, count]) => ({ from, to, imports: count })));
  const climbing = arrows.filter(
    ({ from, to }) => circle.get(from) === circle.get(to) && (height.get(to) ?? 0) >= (height.get(from) ?? 0),
  );
  return { layers, arrows, climbing };
}

/** Rooms by layer, the lowest last: as one would stack them. */
export function drawn({ layers, climbing }: Drawing): string {
  const highest = Math.max(...layers.values());
  const lines: string[] = [];
  for (let layer = highest; layer > 0; layer--) {
    const rooms = [...layers].filter(([, at]) => at === layer).map(([room]) => room);
    lines.push(`${String(layer).padStart(3)}  ${rooms.sort().join('  ')}`);
  }
  const back = [...climbing].sort((a, b) => (a.from + a.to < b.from + b.to ? -1 : 1));
  const told = back.map(({ from, to, imports }) => `     ${from} -> ${to} (${imports})`);
  return [...lines, '', `${back.length} arrows climb back${told.length === 0 ? '' : ':'}`, ...told].join('\n');
}
