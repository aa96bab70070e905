import { createRequire } from 'node:module';
import type { Test } from 'tap';

/** Where letters go. */

interface Received {
  readonly to: readonly string[];
  readonly text: string;
}

interface ServerSession {
  readonly envelope: { readonly rcptTo: readonly { readonly address: string }[] };
}

type OpenServer = new (options: object) => SmtpServer;

interface SmtpServer {
  readonly server: { address(): { readonly port: number } };
  on(event: 'error', listener: () => void): void;
  listen(port: number, host: string, done: () => void): void;
  close(done: () => void): void;
}

/** A server that another project has written; `refuses` may turn letters away, all or those to an address. */
export async function startSmtp(t: Pick<Test, 'teardown'>, refuses: (to: string) => boolean = () => false) {
  const { SMTPServer } = createRequire(import.meta.url)('smtp-server') as { SMTPServer: OpenServer };
  const received: Received[] = [];
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    onAuth: (
      auth: { username: string; password: string },
      _: unknown,
      done: (error?: Error | null, user?: object) => void,
    ) => (auth.password === 'top secret' ? done(null, { user: auth.username }) : done(new Error('who are you'))),
    onData: (stream: NodeJS.ReadableStream, session: ServerSession, done: (error?: Error) => void) => {
      let text = '';
      stream.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
      });
      stream.on('end', () => {
        const to = session.envelope.rcptTo.map(({ address }) => address);
        if (to.some(refuses)) return done(new Error('not now'));
        received.push({ to, text });
        done();
      });
    },
    logger: false,
  });
  // Whoever brings letters may be killed in the middle.
  server.on('error', () => undefined);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  t.teardown(() => new Promise<void>((done) => server.close(done)));
  return { received, port: server.server.address().port };
}
