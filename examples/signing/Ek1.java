// EK1 for Java 17 and newer, no dependency.
//   String answer = Ek1.request("GET", "/openapi/v1/me", "");   or:  java Ek1.java GET /openapi/v1/me
// Needs EVENKEEL_URL, EVENKEEL_ACCESS_KEY and EVENKEEL_SECRET_KEY.
import java.net.URI;
import java.net.URLDecoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public class Ek1 {
  private static final String UNRESERVED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";

  private static String encode(String text) {
    StringBuilder out = new StringBuilder();
    for (byte b : URLDecoder.decode(text, StandardCharsets.UTF_8).getBytes(StandardCharsets.UTF_8)) {
      if (b > 0 && UNRESERVED.indexOf(b) >= 0) out.append((char) b);
      else out.append(String.format("%%%02X", b));
    }
    return out.toString();
  }

  /** Pairs encoded, then sorted by name and value. */
  static String canonicalQuery(String query) {
    List<String[]> pairs = new ArrayList<>();
    for (String pair : query.split("&")) {
      if (pair.isEmpty()) continue;
      int at = pair.indexOf('=');
      pairs.add(new String[] {encode(at < 0 ? pair : pair.substring(0, at)), at < 0 ? "" : encode(pair.substring(at + 1))});
    }
    pairs.sort(Comparator.comparing((String[] pair) -> pair[0]).thenComparing(pair -> pair[1]));
    return String.join("&", pairs.stream().map(pair -> pair[0] + "=" + pair[1]).toList());
  }

  /** The four headers of a request. target is path and query, body the exact text that is sent. */
  static Map<String, String> sign(String accessKey, String secret, String method, String target, String body, String timestamp, String nonce)
      throws Exception {
    int mark = target.indexOf('?');
    byte[] digest = MessageDigest.getInstance("SHA-256").digest(body.getBytes(StandardCharsets.UTF_8));
    String canonical = String.join("\n", "EK1-HMAC-SHA256", accessKey, timestamp, nonce, method,
        mark < 0 ? target : target.substring(0, mark),
        mark < 0 ? "" : canonicalQuery(target.substring(mark + 1)),
        HexFormat.of().formatHex(digest));
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put("X-EK-Access-Key", accessKey);
    headers.put("X-EK-Timestamp", timestamp);
    headers.put("X-EK-Nonce", nonce);
    headers.put("X-EK-Signature", "v1=" + HexFormat.of().formatHex(mac.doFinal(canonical.getBytes(StandardCharsets.UTF_8))));
    return headers;
  }

  private static Map<String, String> headers(String method, String target, String body) throws Exception {
    Map<String, String> env = System.getenv();
    return sign(env.get("EVENKEEL_ACCESS_KEY"), env.get("EVENKEEL_SECRET_KEY"), method, target, body,
        env.getOrDefault("EK1_TIMESTAMP", String.valueOf(System.currentTimeMillis() / 1000)),
        env.getOrDefault("EK1_NONCE", UUID.randomUUID().toString()));
  }

  /** Signs and sends; returns the text of the answer. body is JSON text. */
  static String request(String method, String target, String body) throws Exception {
    HttpRequest.Builder call = HttpRequest.newBuilder(URI.create(System.getenv("EVENKEEL_URL") + target));
    headers(method, target, body).forEach(call::header);
    if (!body.isEmpty()) call.header("Content-Type", "application/json");
    call.method(method, body.isEmpty() ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(body));
    return HttpClient.newHttpClient().send(call.build(), HttpResponse.BodyHandlers.ofString()).body();
  }

  public static void main(String[] args) throws Exception {
    String body = args.length > 2 ? args[2] : "";
    if (System.getenv("EK1_PRINT") != null) System.out.println(headers(args[0], args[1], body).get("X-EK-Signature"));
    else System.out.println(request(args[0], args[1], body));
  }
}
