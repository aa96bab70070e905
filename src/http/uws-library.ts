import { createRequire } from 'node:module';

/**
 * What we use of uWebSockets.js. Declared here, not imported: the package is optional, and the sources must compile
 * without it. Its builds under different package names differ in the names of two functions.
 */

export interface UwsResponse {
  writeStatus(status: string): UwsResponse;
  writeHeader(name: string, value: string): UwsResponse;
  end(body?: string | Uint8Array, closeConnection?: boolean): UwsResponse;
  /** A piece of an answer whose length nobody knows; false: the client does not keep up. */
  write(chunk: Uint8Array): boolean;
  /** Writes what the client takes now; the rest belongs to `onWritable`. */
  tryEnd(body: Uint8Array, totalBytes: number): [taken: boolean, done: boolean];
  onWritable(run: (offset: number) => boolean): UwsResponse;
  getWriteOffset(): number;
  endWithoutBody(): UwsResponse;
  onAborted(run: () => void): UwsResponse;
  /** Holds back the body of the request. */
  pause(): void;
  resume(): void;
  onData(run: (chunk: ArrayBuffer, isLast: boolean) => void): UwsResponse;
  cork(run: () => void): UwsResponse;
  close(): UwsResponse;
  getRemoteAddressAsText(): ArrayBuffer;
  upgrade<D>(data: D, key: string, protocol: string, extensions: string, context: unknown): void;
}

export interface UwsRequest {
  /** The first one of the name. */
  getHeader(name: string): string;
  forEachHeader(run: (name: string, value: string) => void): void;
  /** Without the query. */
  getUrl(): string;
  /** Undefined where there is no question mark. */
  getQuery(): string | undefined;
  getMethod(): string;
}

export interface UwsSocket<D> {
  /** 1: sent, 0: waits for the client, 2: dropped. */
  send(message: string, isBinary: boolean, compress: boolean): number;
  cork(work: () => void): unknown;
  close(): void;
  /** Bytes that wait for the client. */
  getBufferedAmount(): number;
  getUserData(): D;
}

export interface UwsBehavior<D> {
  readonly maxPayloadLength: number;
  readonly idleTimeout: number;
  readonly sendPingsAutomatically: boolean;
  readonly maxBackpressure: number;
  readonly closeOnBackpressureLimit: boolean;
  readonly compression: number;
  upgrade(response: UwsResponse, request: UwsRequest, context: unknown): void;
  open(socket: UwsSocket<D>): void;
  message(socket: UwsSocket<D>, message: ArrayBuffer): void;
  drain(socket: UwsSocket<D>): void;
  close(socket: UwsSocket<D>): void;
}

export interface UwsApp {
  ws<D>(pattern: string, behavior: UwsBehavior<D>): UwsApp;
  any(pattern: string, handler: (response: UwsResponse, request: UwsRequest) => void): UwsApp;
  /** Newer builds only: ends everything at once. */
  close?(): void;
  listen(host: string, port: number, options: number, run: (token: unknown) => void): UwsApp;
}

interface UwsModule {
  App(): UwsApp;
  SSLApp(options: { key_file_name: string; cert_file_name: string; passphrase: string }): UwsApp;
  readonly DISABLED: number;
  us_socket_local_port?(token: unknown): number;
  getSocketPort?(token: unknown): number;
  us_listen_socket_close?(token: unknown): void;
  closeSocket?(token: unknown): void;
}

export interface Uws {
  app(tls: { readonly pem: string; readonly password: string } | undefined): UwsApp;
  /** Compressing a long answer would hold up everybody, and what a compressed message takes is not known before. */
  readonly noCompression: number;
  portOf(token: unknown): number;
  /** Stops listening; connections end now, or in older builds when they are idle. */
  close(app: UwsApp, token: unknown): void;
}

/** Undefined when it is not installed or was built for another Node. */
export function loadUws(): Uws | undefined {
  let module: UwsModule;
  try {
    module = createRequire(import.meta.url)('uWebSockets.js') as UwsModule;
  } catch {
    return undefined;
  }
  const portOf = module.us_socket_local_port ?? module.getSocketPort;
  const stopListening = module.us_listen_socket_close ?? module.closeSocket;
  if (portOf === undefined || stopListening === undefined) return undefined;
  return {
    app: (tls) =>
      tls === undefined
        ? module.App()
        : module.SSLApp({ key_file_name: tls.pem, cert_file_name: tls.pem, passphrase: tls.password }),
    noCompression: module.DISABLED,
    portOf,
    close: (app, token) => {
      if (app.close !== undefined) app.close();
      else stopListening(token);
    },
  };
}
