import type { Command } from 'commander';
export function addQuickstartCommand(_program: Command): void {}
