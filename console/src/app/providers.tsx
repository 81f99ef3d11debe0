import { QueryClientProvider } from '@tanstack/react-query';
import { App, theme as antdTheme, ConfigProvider } from 'antd';
import enUS from 'antd/locale/en_US';
import zhCN from 'antd/locale/zh_CN';
import dayjs from 'dayjs';
import { type ReactNode, useEffect, useSyncExternalStore } from 'react';
import { makeQueryClient } from '../api/query-client';
import { usePreferences } from '../lib/preferences';
import 'dayjs/locale/zh-cn';

export const queryClient = makeQueryClient();
const media = matchMedia('(prefers-color-scheme: dark)');
const reduced = matchMedia('(prefers-reduced-motion: reduce)');

function useMedia(list: MediaQueryList): boolean {
  return useSyncExternalStore(
    (listener) => {
      list.addEventListener('change', listener);
      return () => list.removeEventListener('change', listener);
    },
    () => list.matches,
  );
}

export function Providers({ children }: { children: ReactNode }) {
  const { language, theme } = usePreferences();
  const systemDark = useMedia(media);
  const motion = !useMedia(reduced);
  const dark = theme === 'dark' || (theme === 'system' && systemDark);
  useEffect(() => {
    document.documentElement.dataset.theme = dark ? 'dark' : 'light';
    document.documentElement.lang = language;
    dayjs.locale(language === 'zh-CN' ? 'zh-cn' : 'en');
  }, [dark, language]);
  return (
    <ConfigProvider
      locale={language === 'zh-CN' ? zhCN : enUS}
      button={{ autoInsertSpace: false }}
      theme={{
        algorithm: dark
          ? [antdTheme.darkAlgorithm, antdTheme.compactAlgorithm]
          : [antdTheme.defaultAlgorithm, antdTheme.compactAlgorithm],
        token: {
          colorPrimary: dark ? '#4c89cc' : '#0958d9',
          colorLink: dark ? '#6aa1f5' : '#0958d9',
          colorTextDescription: dark ? '#a9a9a9' : '#595959',
          colorTextTertiary: dark ? '#a9a9a9' : '#595959',
          colorTextPlaceholder: dark ? '#8f8f8f' : '#6b6b6b',
          colorTextDisabled: dark ? '#8f8f8f' : '#6b6b6b',
          controlHeight: 28,
          fontSize: 13,
          motion,
        },
      }}
    >
      <App>
        <QueryClientProvider client={queryClient}>{children}</QueryClientProvider>
      </App>
    </ConfigProvider>
  );
}
