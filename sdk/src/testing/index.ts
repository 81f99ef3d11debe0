export type { CancelReason, Json } from '../contract/index.js';
export {
  type HandlerEnd,
  type HandlerRun,
  type HandlerRunOptions,
  type LoggedLine,
  runHandler,
  startHandler,
} from './run-handler.js';
