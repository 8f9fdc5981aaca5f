/**
 * Node's `http`. An `import … from 'node:http'` reads all that the module exports, a WebSocket client among it, and loads a second HTTP
 * client with a parser in WebAssembly for that: 50 ms of each start, and 4 MB, for what nobody here uses.
 */
export const { Agent, createServer, request } = process.getBuiltinModule('node:http');
