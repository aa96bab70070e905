import { readFileSync } from 'node:fs';
import { Registry } from 'prom-client';
import t from 'tap';
import accountHistory from '../../plugins/account_history/index.js';
import { NODE_PARTS, nodeParts } from '../../src/node/parts/list.js';
import { startMetrics } from '../../src/node/runtime/start-metrics.js';
import { StartStage } from '../../src/node/runtime/start-stage.js';
import { optionTable } from '../../src/node/settings/sections.js';
import { startDevNode } from '../support/dev-node.js';
import { PROJECT_ROOT, projectPath } from '../support/paths.js';
import { asked, expressions, metricOf } from '../support/prometheus.js';
import { sourcesOf } from '../tidy/draw-imports.js';

/** What `ops` has for nodes names metrics, labels and options that nodes have. */

t.test('who installs the package has them', async (t) => {
  const { files } = JSON.parse(readFileSync(projectPath('package.json'), 'utf8')) as { files: readonly string[] };
  t.ok(files.includes('ops'));
});

t.test('dashboard and alerts name what a running node shows', async (t) => {
  const line = {
    'p2p-endpoint': '127.0.0.1:0',
    'monitor-endpoint': '127.0.0.1:0',
    plugins: 'witness account_history',
  };
  const { node } = await startDevNode(t.testdir(), line, undefined, nodeParts([accountHistory]));
  const running = await (await fetch(`http://${node.endpoints.monitor}/metrics`)).text();
  await node.stop();
  const before = new Registry();
  for (const metric of startMetrics(new StartStage())) before.registerMetric(metric);
  const text = `${running}\n${await before.metrics()}`;
  const shown = new Set([...text.matchAll(/^# TYPE (\w+) /gm)].map(([, name = '']) => name));
  t.ok(shown.size > 40, 'the metrics were found');
  for (const name of shown) {
    t.match(name, /^(?:trustnode|process|nodejs)_/, 'one prefix');
    t.notMatch(name, /_(?:ms|us|kb|mb|percent)(?:_|$)/, 'base units');
  }
  const sources = sourcesOf(PROJECT_ROOT, 'src').map((one) => one.text);
  const hasLabel = (metric: string, label: string): boolean =>
    new RegExp(`^${metric}\\{[^}]*\\b${label}="`, 'm').test(text) ||
    sources.some((source) => new RegExp(`name: '${metric}',[^}]*labelNames: \\[[^\\]]*'${label}'`).test(source));
  const all = expressions('node-dashboard.json', 'node-alerts.yml');
  t.ok(all.length >= 30);
  for (const expression of all) {
    const { names, labels } = asked(expression);
    const metrics = names.map(metricOf);
    for (const metric of metrics) t.ok(shown.has(metric), `${metric} of ${expression}`);
    for (const label of labels) {
      t.ok(
        metrics.some((metric) => hasLabel(metric, label)),
        `${label} of ${expression}`,
      );
    }
  }
  t.notOk(hasLabel('trustnode_chain_bugs_total', 'witness'), 'a label that a metric has not is seen');
});

t.test('the unit for systemd stops a node as the node wants it, and keeps what others may read from it', async (t) => {
  const unit = readFileSync(projectPath('ops/trustnode.service'), 'utf8');
  t.match(unit, /^ExecStart=\/usr\/bin\/trustnode start --data-dir \/var\/lib\/trustnode /m);
  t.match(unit, /^KillSignal=SIGTERM$/m);
  t.match(unit, /^Restart=on-failure$/m);
  t.match(unit, /^UMask=0077$/m);
  t.match(unit, /^CapabilityBoundingSet=$/m);
  t.notMatch(unit, /^(MemoryDenyWriteExecute|ProcSubset)=/m, 'the engine writes code, and memory is read of /proc');
  t.match(readFileSync(projectPath('ops/trustnode.logrotate'), 'utf8'), /--signal=HUP trustnode\.service/);
});

t.test(
  'the image begins a node by options that there are, as a user of its own, and asks a page that it has',
  async (t) => {
    const file = readFileSync(projectPath('ops/Containerfile'), 'utf8');
    const known = new Set(Object.keys(optionTable(NODE_PARTS)));
    const options = [...file.matchAll(/"--([a-z0-9-]+)"/g)].map(([, name = '']) => name);
    t.ok(options.length >= 4);
    for (const option of options) t.ok(known.has(option), option);
    t.match(file, /^USER trustnode$/m);
    t.match(file, /^STOPSIGNAL SIGTERM$/m);
    t.match(file, /http:\/\/127\.0\.0\.1:9090\/healthz/);
    t.match(file, /"--monitor-endpoint", "0\.0\.0\.0:9090"/);
    const { bin } = JSON.parse(readFileSync(projectPath('package.json'), 'utf8')) as { bin: { trustnode: string } };
    t.ok(file.includes(`node_modules/trustnode/${bin.trustnode} `), 'the program');
    const lines = file.replace(/\\\n/g, ' ').split('\n');
    const commands = lines.filter((line) => line.startsWith('RUN ')).join(' && ');
    t.match(
      commands,
      /npm ci .*npm pack .*--pack-destination (\S+) .*tar -xzf \1\/trustnode-\*\.tgz .*npm ci .*--omit=dev/,
    );
    t.notMatch(commands, /npm (?:install|i) /, 'what runs is what the lock file names');
    t.match(file, /--format docker/, 'the other format has no HEALTHCHECK');
    const copied = lines.filter((line) => /^COPY \./.test(line)).flatMap((line) => line.split(' ').slice(1, -1));
    t.same(copied, ['.'], 'the whole clone, but for what is made anew there');
    const left = readFileSync(projectPath('.dockerignore'), 'utf8').trim().split('\n');
    t.ok(left.includes('node_modules') && left.includes('dist'), 'nothing that another machine has compiled');
    const ignored = readFileSync(projectPath('.gitignore'), 'utf8').trim().split('\n');
    for (const name of ignored.map((line) => line.replace(/^\/|\/$/g, ''))) {
      t.ok(left.includes(name) || left.includes(`**/${name}`), `${name} may hold keys and blocks of who builds it`);
    }
    for (const name of ['package.json', 'package-lock.json', 'prepare.mjs', 'src']) t.notOk(left.includes(name), name);
    const images = lines.flatMap((line) => /^FROM (\S+)/.exec(line)?.[1] ?? []);
    t.ok(images.length === 2 && new Set(images).size === 1, 'built for the Node that runs it');
  },
);
