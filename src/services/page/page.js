// Shows the calls of the service by its OpenAPI document, each with a form that makes it.

const SHOWN_CHARS_MAX = 20_000;

/** An element with attributes and children; texts are texts, whatever stands in them. */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

function inputOf(name, schema, isRequired, where) {
  const attributes = { name, 'data-where': where, ...(isRequired ? { required: '' } : {}) };
  if (schema.enum !== undefined) {
    const choices = schema.enum.map((one) => make('option', { value: one }, one));
    return make('select', attributes, ...(isRequired ? [] : [make('option', { value: '' }, '')]), ...choices);
  }
  if (schema.format === 'binary') return make('input', { ...attributes, type: 'file' });
  return make('input', { ...attributes, type: 'text', ...(schema.example ? { placeholder: schema.example } : {}) });
}

function fieldOf(name, schema, isRequired, where, description) {
  const about = `${isRequired ? name : `${name} (optional)`}: ${description ?? schema.description ?? 'a file'}`;
  return make('label', {}, make('span', {}, about), inputOf(name, schema, isRequired, where));
}

/** A value that the schema allows, to begin with. */
function exampleOf(schema) {
  if (schema.example !== undefined) return schema.example;
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.type === 'object') {
    return Object.fromEntries(Object.entries(schema.properties ?? {}).map(([name, one]) => [name, exampleOf(one)]));
  }
  if (schema.type === 'array') return [exampleOf(schema.items)];
  return { integer: schema.minimum ?? 0, number: 0, boolean: false }[schema.type] ?? '';
}

function jsonFieldOf(schema) {
  const text = JSON.stringify(exampleOf(schema), null, 2);
  const input = make('textarea', { 'data-where': 'json', rows: String(Math.min(20, text.split('\n').length)) }, text);
  return make('label', {}, make('span', {}, 'body: JSON'), input);
}

function fieldsOf({ parameters = [], requestBody }) {
  const fields = parameters.map((one) => fieldOf(one.name, one.schema, one.required, one.in, one.description));
  const json = requestBody?.content['application/json']?.schema;
  if (json !== undefined) return [...fields, jsonFieldOf(json)];
  const schema = requestBody?.content['multipart/form-data']?.schema;
  if (schema === undefined) return fields;
  const parts = Object.entries(schema.properties);
  return [...fields, ...parts.map(([name, part]) => fieldOf(name, part, schema.required.includes(name), 'form'))];
}

function requestOf(path, form) {
  let target = path;
  const query = new URLSearchParams();
  const headers = {};
  const body = new FormData();
  let json;
  for (const input of form.querySelectorAll('[data-where]')) {
    const { name, value } = input;
    const where = input.dataset.where;
    if (where === 'path') target = target.replace(`{${name}}`, encodeURIComponent(value));
    else if (where === 'query' && value !== '') query.set(name, value);
    else if (where === 'header' && value !== '') headers[name] = value;
    else if (where === 'json') json = value;
    else if (where === 'form') {
      const isFile = input.type === 'file';
      if (isFile ? input.files.length > 0 : value !== '') body.append(name, isFile ? input.files[0] : value);
    }
  }
  const isForm = form.querySelector('[data-where=form]') !== null;
  if (json !== undefined) headers['Content-Type'] = 'application/json';
  return { url: `.${target}${query.size > 0 ? `?${query}` : ''}`, body: json ?? (isForm ? body : undefined), headers };
}

async function textOf(response) {
  const type = response.headers.get('content-type') ?? '';
  if (!/json|text/.test(type)) return `${(await response.arrayBuffer()).byteLength} bytes of ${type}`;
  const text = await response.text();
  return text.length > SHOWN_CHARS_MAX ? `${text.slice(0, SHOWN_CHARS_MAX)}…` : text;
}

async function call(method, path, form, output) {
  output.textContent = '…';
  const { url, body, headers } = requestOf(path, form);
  try {
    const response = await fetch(url, { method, headers, ...(body === undefined ? {} : { body }) });
    output.textContent = `${response.status} ${response.statusText}\n${await textOf(response)}`;
  } catch (error) {
    output.textContent = String(error);
  }
}

function callOf(method, path, operation) {
  const output = make('pre', { 'aria-live': 'polite' });
  const form = make('form', {}, ...fieldsOf(operation), make('button', {}, 'Send'));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void call(method, path, form, output);
  });
  const head = make('summary', {}, make('code', {}, `${method} ${path}`), operation.summary);
  return make('details', {}, head, make('p', {}, operation.description), form, output);
}

async function show() {
  const calls = document.getElementById('calls');
  try {
    const { info, paths } = await (await fetch('openapi.json')).json();
    document.title = info.title;
    document.getElementById('title').textContent = `${info.title} ${info.version}`;
    document.getElementById('about').textContent = info.description;
    const all = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => callOf(method.toUpperCase(), path, operation)),
    );
    calls.replaceChildren(...all);
  } catch (error) {
    calls.textContent = `The document could not be read: ${error}`;
  }
}

void show();
