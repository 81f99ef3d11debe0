import cronstrue from 'cronstrue';
import 'cronstrue/locales/zh_CN.js';

const TIME = /^\D{0,3}\d\d:\d\d/;

/** A time of day needs its day; of what comes again within the day, "every hour, every day" says nothing more. */
export function cronText(expression: string, language: 'zh-CN' | 'en'): string {
  const locale = language === 'zh-CN' ? 'zh_CN' : 'en';
  const said = (verbose: boolean) => cronstrue.toString(expression, { locale, use24HourTimeFormat: true, verbose });
  try {
    const text = TIME.test(said(true)) ? said(true) : said(false);
    return language === 'zh-CN' ? chinese(text) : text;
  } catch {
    return expression;
  }
}

/** As one says it: first the days, then the time; 周 for the days of the week. */
function chinese(text: string): string {
  const parts = text
    .replaceAll(/ ?星期/g, '周')
    .split(/[,，] */)
    .map((part) => part.replace(/^在 ?/, ''));
  const [time = '', ...days] = parts;
  if (!TIME.test(time) || days.length === 0) return parts.join('，');
  return `${days.join('，').replace(/^(限|仅)/, '')} ${time}`;
}
