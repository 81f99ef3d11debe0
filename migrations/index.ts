import type { MigrationInterface } from 'typeorm';
import { Foundation1764400000000 } from './1764400000000-foundation.js';

/** Every migration, oldest first. */
export const MIGRATIONS: (new () => MigrationInterface)[] = [Foundation1764400000000];
