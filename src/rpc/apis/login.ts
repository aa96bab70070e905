import { bool, text, u32 } from '../../codec/scalars.js';
import { api, method } from '../define.js';

const accessor = (name: string) =>
  method({
    about: `Id of the ${name} API for this connection.`,
    params: {},
    result: u32,
    run: ({ session }) => session.apiId(name),
  });

export const loginApi = api({
  name: 'login',
  about: 'Opens the other APIs. Their ids hold for this connection only.',
  methods: {
    login: method({
      about: 'Opens the APIs that the access file allows this user. False when user or password are wrong.',
      params: { user: text, password: text },
      result: bool,
      run: ({ session }, { user, password }) => session.login(user, password),
    }),
    block: accessor('block'),
    network_broadcast: accessor('network_broadcast'),
    database: accessor('database'),
    history: accessor('history'),
    network_node: accessor('network_node'),
    crypto: accessor('crypto'),
    asset: accessor('asset'),
    debug: accessor('debug'),
  },
});
