/** Turns operations into sentences: names for ids, amounts with their symbols. */
export class Decoder {
  #node;
  #operationNames = [];
  #objects = new Map();

  constructor(node) {
    this.#node = node;
  }

  learn(document) {
    this.#operationNames = (document.components.schemas.operation?.oneOf ?? []).map(({ title }) => title);
  }

  name(tag) {
    return this.#operationNames[tag] ?? `operation ${tag}`;
  }

  /** Names of accounts and assets that these operations mention, looked up together. */
  async prepare(operations) {
    const wanted = new Set();
    const visit = (value) => {
      if (typeof value === 'string') {
        if (/^1\.[23]\.\d+$/.test(value) && !this.#objects.has(value)) wanted.add(value);
      } else if (value && typeof value === 'object') Object.values(value).forEach(visit);
    };
    visit(operations);
    if (wanted.size === 0) return;
    const ids = [...wanted].slice(0, 500);
    const found = await this.#node.call('get_objects', ids);
    ids.forEach((id, i) => this.#objects.set(id, found[i]));
    // Old names are cheap to ask for again.
    if (this.#objects.size > 5000) this.#objects.clear();
  }

  id(id) {
    const object = this.#objects.get(id);
    return object?.name ?? object?.symbol ?? id;
  }

  amount({ amount, asset_id: assetId }) {
    const asset = this.#objects.get(assetId);
    if (!asset) return `${amount} ${assetId}`;
    const digits = String(amount).replace('-', '').padStart(asset.precision + 1, '0');
    const whole = digits.slice(0, digits.length - asset.precision);
    const part = digits.slice(digits.length - asset.precision).replace(/0+$/, '');
    return `${String(amount).startsWith('-') ? '-' : ''}${whole}${part === '' ? '' : `.${part}`} ${asset.symbol}`;
  }

  /** One line: what matters of an operation, without its fee. */
  sentence([tag, body]) {
    if (tag === 0) return `${this.id(body.from)} sends ${this.amount(body.amount)} to ${this.id(body.to)}`;
    const parts = [];
    for (const [key, value] of Object.entries(body)) {
      if (key === 'fee' || key === 'extensions') continue;
      const text = this.#value(value);
      if (text !== '') parts.push(`${key} ${text}`);
    }
    const line = parts.join(', ');
    return line.length > 200 ? `${line.slice(0, 199)}…` : line;
  }

  #value(value) {
    // Keys, codes and hashes say nothing to a reader.
    if (typeof value === 'string') return /^1\.[23]\.\d+$/.test(value) ? this.id(value) : value.length <= 40 ? value : '';
    if (typeof value === 'number' || typeof value === 'boolean') return String(value);
    if (value && typeof value === 'object' && 'amount' in value && 'asset_id' in value) return this.amount(value);
    return '';
  }
}
