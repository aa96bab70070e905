// Whether services are well, and how many instances share a database: node docs/examples/services/instances.mjs URL …
for (const url of process.argv.slice(2)) {
  const ready = await fetch(`${url}/readyz`);
  const metrics = await (await fetch(`${url}/metrics`)).text();
  const [, instances = 'no'] = /^trustnode_service_instances\S* (\d+)$/m.exec(metrics) ?? [];
  console.log(`${url}: ${ready.status} ${(await ready.text()).trim()}, ${instances} instance(s)`);
}
