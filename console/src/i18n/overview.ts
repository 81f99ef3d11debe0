import { texts } from './message';

export const overview = texts({ 'overview.title': '总览' }, { 'overview.title': 'Overview' });
