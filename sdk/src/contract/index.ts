export * from './ek1.js';
export * from './errors.js';
export * from './jobs.js';
export * from './json.js';
export * from './limits.js';
export * from './partner-api.js';
export * from './task-states.js';
export * from './worker-protocol.js';
