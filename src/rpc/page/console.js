import { $, element, setText } from './show.js';

/** The console: methods and arguments come from the OpenRPC document. */
export class Console {
  #node;
  #methods = new Map();

  constructor(node) {
    this.#node = node;
    $('method').addEventListener('input', () => this.#show());
    $('console').addEventListener('submit', (event) => {
      event.preventDefault();
      void this.#call();
    });
  }

  learn(document) {
    this.#methods = new Map(document.methods.map((method) => [method.name, method]));
    $('methods').replaceChildren(...[...this.#methods.keys()].map((value) => element('option', { value })));
    this.#show();
  }

  #show() {
    const method = this.#methods.get($('method').value);
    setText('about', method?.description ?? '');
    const rows = (method?.params ?? []).map(({ name, schema }) =>
      element('label', {}, element('span', {}, name), element('input', { value: sample(schema), name, spellcheck: 'false' })),
    );
    $('params').replaceChildren(...rows);
  }

  async #call() {
    const name = $('method').value;
    const answer = $('answer');
    answer.className = 'mono';
    let params;
    try {
      params = [...$('params').querySelectorAll('input')].map((input) => read(input.value));
    } catch (error) {
      answer.className = 'mono error';
      answer.textContent = `An argument is no JSON: ${error.message}`;
      return;
    }
    const [api, method] = name.includes('.') && name !== 'rpc.discover' ? name.split('.') : [undefined, name];
    const request = api === undefined ? { method, params } : { method: 'call', params: [api, method, params] };
    setText('request', JSON.stringify(request));
    const start = performance.now();
    try {
      const { result, error } = await this.#node.ask(request.method, request.params);
      setText('took', `${(performance.now() - start).toFixed(1)} ms`);
      if (error) answer.className = 'mono error';
      const text = JSON.stringify(error ?? result, null, 2);
      answer.textContent = text.length > 200_000 ? `${text.slice(0, 200_000)}\n…` : text;
    } catch (error) {
      answer.className = 'mono error';
      answer.textContent = error.message;
    }
  }
}

/** Bare words are texts, so that names and ids need no quotes. */
function read(text) {
  const trimmed = text.trim();
  if (/^[[{"]/.test(trimmed) || /^(true|false|null|-?\d+(\.\d+)?)$/.test(trimmed)) return /^\d{16,}$/.test(trimmed) ? trimmed : JSON.parse(trimmed);
  return trimmed;
}

function sample(schema) {
  if (schema.type === 'array') return '[]';
  if (schema.type === 'boolean') return 'false';
  if (schema.type === 'integer' || schema.oneOf?.[0]?.type === 'integer') return '0';
  if (schema.$ref) return '{}';
  if (schema.title === 'account_id') return '1.2.0';
  if (schema.title === 'asset_id') return '1.3.1';
  return '';
}
