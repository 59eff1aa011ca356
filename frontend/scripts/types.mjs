// The TypeScript types of both APIs, made of what a running stack says of itself:
//   npm run types                     from http://127.0.0.1:8080 (./spur up), or SPUR_CLOUD_URL and SPUR_REST_URL
// What is made is checked in: `npm run build` needs no server.
import { writeFileSync } from 'node:fs';
import openapiTS, { astToString } from 'openapi-typescript';

const cloud = process.env.SPUR_CLOUD_URL ?? 'http://127.0.0.1:8080';
const rest = process.env.SPUR_REST_URL ?? 'http://127.0.0.1:6820';

for (const [name, address] of [
  ['cloud', `${cloud}/api/openapi.json`],
  ['v1', `${rest}/api/v1/openapi.json`],
]) {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address} answered ${response.status}; is the stack running?`);
  const types = astToString(await openapiTS(await response.json(), { alphabetize: true, immutable: true }));
  writeFileSync(
    new URL(`../src/api/generated/${name}.ts`, import.meta.url),
    `// Made by \`npm run types\` from ${new URL(address).pathname}. Not edited by hand.\n${types}`,
  );
  console.log(`src/api/generated/${name}.ts`);
}
