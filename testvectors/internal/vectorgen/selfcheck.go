package main

import (
	"fmt"
	"log"
	"reflect"
	"strings"
	"time"
)

// must stops the program when a computed value is not the one that the
// specification prints.
func must(what string, got, want any) {
	if !reflect.DeepEqual(got, want) {
		log.Fatalf("self-check: %s is %v, want %v", what, got, want)
	}
}

// selfCheck holds this implementation against all values that the
// specification gives.
func selfCheck() {
	checkSectionTen()
	checkCheckSymbols()
	checkDates()
	checkLists()
}

func checkSectionTen() {
	const d8 = "licet/v1 hs256 key=8 prefix=ACME layout=product:9,version:8,expiry:15,serial:28 bind=none sig=80"
	must("descriptor of key 8", key8.text, d8)
	must("secret", hexOf(key8.secret), "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f")
	must("hkdf tag", hexOf(hkdf(key8.secret, d8, "tag")), "bb5dac414b4b5ec65d616b048b524bbda420b4ce29b6793866ab185a2c871723")
	must("hkdf mask", hexOf(hkdf(key8.secret, d8, "mask")), "d2ab1b2b8a3e31a9c142f4f3b02cc9a352fccb74160493602b2a7757dcdca2fe")
	must("hkdf cover", hexOf(hkdf(key8.secret, d8, "cover")), "ef470b5b7605d6e907310fb1251b478896127742322549f46e480c2357170c14")
	must("key id", key8.id, "ca3f2093e4fe1455")
	m := key8.issue("1000")
	must("payload", hexOf(bytesOf(m.payload, 60)), "00381844600003e8")
	must("tag", hexOf(bytesOf(m.tag, 80)), "51b563ff6af5675c0829")
	must("masked", hexOf(bytesOf(m.masked, 60)), "07c3beb33243b78f")
	must("shown", hexOf(bytesOf(m.shown, 80)), "0dbf071d843d7047ee2c")
	must("body", m.body, "A"+"HJXYQET69FWH"+"3QZJG9E69PS6HVKE"+"LWZ")
	must("code", m.code(), "ACME-AHJX-YQET-69FW-H3QZ-JG9E-69PS-6HVK-ELWZ")
	must("secret key text", secretKeyText("mint", "hs256", 8, key8.id, key8.secret),
		"LICET-SECRET-KEY-1-MINT-HS256-8-CA3F2093E4FE1455-000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F-8A9BA4AB")

	must("descriptor of key 9", key9.text, "licet/v1 es256 key=9 prefix= layout=product:9,version:8,expiry:15,serial:28 bind=none sig=512")
	must("key id", key9.id, "e21531b141ba7c8d")
	must("public", hexOf(publicBytes(key9.public)), "0460fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6"+
		"7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299")
	m = key9.issue("1000")
	must("payload", hexOf(bytesOf(m.payload, 60)), "00381844600003e8")
	must("digest", hexOf(m.digest), "12528f5407e168d8d6d310cd05dc652c91968011923744a57eb768eb83042c86")
	must("r", hexOf(bytesOf(m.r, 256)), "0a34541a64af0f64d5f35ae57ba7d16cedc875869180ade67fcf384c66c32fe5")
	must("s", hexOf(bytesOf(m.s, 256)), "2f286af66b3bbc3c27c020d41c28cde1df0c55a52130a5809e338cc03ef9b4c7")
	must("masked", hexOf(bytesOf(m.masked, 60)), "0b6d5e0efa22bc76")
	must("code", m.code(), "BQVC-Y3VX-47H5-Q275-AP2U-ELRJ-YT8P-YFFG-CYX9-U7QG-VL5P-JUAS-3DH8-HZ9M-JM58-SERY-CDTA-FDV8-QGXW-"+
		"9JMW-2A8N-5JNE-VSGZ-3KCU-CABJ-NQ2B-WEWE-S2ZH-MF89-E2Y")

	for layout, lengths := range map[string][3]int{standard: {80, 32, 119}, wide: {80, 40, 127}, compact: {55, 24, 116}, coupon: {35, 20, 116}} {
		must("length of hs256 "+layout, mustParseDescriptor(describe("hs256", 8, "", layout, "none", lengths[0])).length(), lengths[1])
		must("length of es256 "+layout, mustParseDescriptor(describe("es256", 8, "", layout, "none", 512)).length(), lengths[2])
	}
}

// Texts of the worked examples that several of them share.
const (
	workedText5 = "L76RWFBAXE9CR2LLS55EPLTNUZX7ACAT"
	workedText6 = "KK67SJPKGCXAWNTY59RPPQ8PV93HP5VXV3B352MHEGAH3DE2VQMLB8QSJTZ7GCX37AQ6Y5YWZ9J9UPYS2U84JAR7V5WCHRH8L3ZKD3GJU7A"
)

// worked are texts with their check symbols and the remainder before the last
// constant is added.
var worked = []struct {
	text, check string
	remainder   [3]int
}{
	{"", "P6Z", [3]int{4, 8, 1}},
	{"2222222222222", "GNV", [3]int{}},
	{"ABCDEFGHJKLMN", "3MW", [3]int{16, 31, 2}},
	{"YHV7CXXG2XDLGXFPZYATYY", "Z9F", [3]int{14, 11, 19}},
	{workedText5, "YJU", [3]int{15, 28, 4}},
	{workedText6, "S5Q", [3]int{9, 15, 8}},
}

// workedSlips are damaged texts with their explanations.
var workedSlips = []struct {
	text      string
	syndrome  [3]int
	kind      string
	positions []int
	corrected string
}{
	{"ABCDEF6HJKLMN3MW", [3]int{29, 22, 9}, "substitution", []int{7}, "ABCDEFGHJKLMN3MW"},
	{"YHV7CXGX2XDLGXFPZYATYYZ9F", [3]int{31, 25, 0}, "transposition", []int{7, 8}, "YHV7CXXG2XDLGXFPZYATYYZ9F"},
	{"L76RWFBAXE9CR2LLSS5EPLTNUZX7ACATYJU", [3]int{26, 3, 26}, "substitution", []int{18}, workedText5 + "YJU"},
	{"L76RWFBAXE9CR2LLSSSEPLTNUZX7ACATYJU", [3]int{0, 10, 22}, "twin", []int{18, 19}, workedText5 + "YJU"},
	{replaced(replaced(workedText6, 49, "L"), 51, "Q") + "S5Q", [3]int{27, 25, 25}, "transposition", []int{50, 52}, workedText6 + "S5Q"},
	{replaced(workedText6, 43, "8") + "S5Q", [3]int{24, 31, 31}, "substitution", []int{44}, workedText6 + "S5Q"},
	{"A8CDEF6HJKLMN3MW", [3]int{23, 13, 25}, "none", nil, ""},
}

func checkCheckSymbols() {
	for _, w := range worked {
		must("check symbols of "+w.text, checkOf(w.text), w.check)
		if w.remainder != [3]int{} {
			must("remainder of "+w.text, remainder(w.text+"222"), w.remainder)
		}
		must("well formed "+w.text, wellFormed(w.text+w.check), true)
	}
	for _, w := range workedSlips {
		must("syndrome of "+w.text, syndrome(w.text), w.syndrome)
		must("slip in "+w.text, fmt.Sprint(explain(w.text)), fmt.Sprint(slip{w.kind, w.positions, w.corrected}))
	}
	must("fill", fill("L?6RWFBAXE9CR2LLS5?EPLTNUZX7ACATYJU"), workedText5+"YJU")
	must("all-2", wellFormed(strings.Repeat("2", 32)), false)
}

func checkDates() {
	must("day 0", dayOf(time.Date(2025, 1, 1, 23, 59, 59, 0, time.UTC)), int64(0))
	must("day -1", dayOf(time.Date(2024, 12, 31, 23, 59, 59, 999, time.UTC)), int64(-1))
	must("2027-12-31", dayOfDate("2027-12-31"), int64(1094))
	must("last day of 13 bits", dateOf(1<<13-1), "2047-06-06")
	must("last day of 15 bits", dateOf(1<<15-1), "2114-09-19")
	must("last day of 16 bits", dateOf(1<<16-1), "2204-06-07")
}

// workedManifest is the text of section 10.3.
const workedManifest = `licet-manifest/v1
Acme Tools
key-id ca3f2093e4fe1455
key-number 8
product 7
version 3
expiry 2027-12-31
first-serial 1000
last-serial 1000
count 1
kind mint
format txt
file batch.txt
size 45
sha256 bb8ee31be871c77cef1ed3ea2ecf23e522481b5a19f190718fdd4a02385ede34
time 2026-12-01T09:30:00Z
tool licet v0.2.0
label order=4711
`

func checkLists() {
	must("list key", hexOf(scalarOf(list1)), "202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f")
	must("id of the list key", listID(list1), "d41142f1d23dcc36")
	must("four bytes of the list key", hexOf(keyHash(&list1.PublicKey)), "257d5872")
	must("signature of the manifest", signatureLine(list1, workedManifest), "\u2014 licet-list "+
		"JX1YcjBFAiAVvtQhpLspQt1vfYahUKPRJZBJ3Lc7L2pKZIXM8TdnfQIhAIdA/kU/zpkxXYJGkNFysEHnDLg9k7DBOf40UDZKOgQ5\n")
	must("list", workedList, `licet-revocations/v1
Acme Tools
sequence 12
issued 2026-12-01T09:30:00Z
due 2027-01-01T00:00:00Z
minimum 7 3
key ca3f2093e4fe1455 closed
revoked ca3f2093e4fe1455 7 1000 1999 leaked
revoked ca3f2093e4fe1455 7 2042 2042
`)
	must("signature of the list", signatureLine(list1, workedList), "\u2014 licet-list "+
		"JX1YcjBFAiEA+/5Dmc2GYosjG8Y2vONktrnOoB+Iulp3EBgH1p8GC9ICIBFkInnYABZKhf9CkMzzwQux572TX0U2yibepjVkxqzF\n")
}
