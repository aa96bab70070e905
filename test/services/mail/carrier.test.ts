import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import t from 'tap';
import { carrierOf, LETTER_MS } from '../../../src/services/mail/carrier.js';
import { FakeClock } from '../../support/fake-clock.js';

const LETTER = { id: '<1@x.example>', from: 'des@x.example', to: 'one@y.example', subject: 'about', text: 'nothing' };
/** Often enough that nobody finds the server silent. */
const DRIP_MS = 100;

t.test('a server that says a bit now and then has so long for a letter, and no longer', async (t) => {
  const server = createServer().listen(0, '127.0.0.1');
  t.teardown(() => server.close());
  await once(server, 'listening');
  const file = join(t.testdir(), 'smtp');
  writeFileSync(file, `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const clock = new FakeClock();
  const mail = carrierOf({ 'mail-from': LETTER.from, 'smtp-file': file, 'mail-folder': undefined }, clock);
  const sent = mail?.carrier.send(LETTER).catch((error: Error) => error);
  const [socket] = (await once(server, 'connection')) as [Socket];
  const closed = once(socket, 'close');
  socket.on('error', () => undefined);
  socket.write('220 welcome\r\n');
  await once(socket, 'data');
  const dripping = setInterval(() => socket.write('250-one more thing\r\n'), DRIP_MS);
  t.teardown(() => clearInterval(dripping));
  clock.advance(LETTER_MS - 1);
  t.equal(clock.timers, 1);
  clock.advance(1);
  t.match(await sent, { message: 'the server takes longer than 45 s for a letter' });
  await closed;
  t.equal(clock.timers, 0);
});
